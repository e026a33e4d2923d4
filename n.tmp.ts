import { feedRows } from "./src/news/sources/feedRows.ts"
import { parseArticles } from "./src/news/sources/gdelt.ts"
import { decodeText } from "./src/news/sources/rows.ts"
const MB2 = 2*1024*1024
const fill=(head:string, item:string, tail:string)=>head+item.repeat(Math.floor((MB2-head.length-tail.length)/item.length))+tail
const docs: Record<string,string> = {
 ordinary: fill('<?xml version="1.0"?><rss version="2.0"><channel><title>t</title>', `<item><title>Some title of an ordinary item</title><link>https://a.example/x</link><description>${"word ".repeat(300)}</description><pubDate>Sun, 22 Nov 2026 10:00:00 GMT</pubDate></item>`, '</channel></rss>'),
 ordinaryCdata: fill('<?xml version="1.0"?><rss version="2.0"><channel><title>t</title>', `<item><title>Some title of an ordinary item</title><link>https://a.example/x</link><content:encoded><![CDATA[<p>${"<b>word</b> &amp; ".repeat(300)}</p>]]></content:encoded><pubDate>Sun, 22 Nov 2026 10:00:00 GMT</pubDate></item>`, '</channel></rss>'),
 tinyItems: fill('<rss version="2.0"><channel>', '<item/>', '</channel></rss>'),
 tinyChannel: fill('<rss version="2.0"><channel>', '<a/>', '</channel></rss>'),
 attrs: fill('<rss version="2.0"><channel><item ', 'a="1" ', '/></channel></rss>'),
 attrs2: '<rss version="2.0"><channel><item '+Array.from({length:200000},(_,i)=>`a${i}="" `).join("").slice(0,MB2-60)+'/></channel></rss>',
 nested: '<rss version="2.0"><channel>'+"<a>".repeat(500000),
 entities: fill('<rss version="2.0"><channel><item><title>', '&amp;', '</title></item></channel></rss>'),
 lt: fill('<rss version="2.0"><channel><item><title>', '<', '</title></item></channel></rss>'),
 comments: fill('<rss version="2.0"><channel>', '<!---->', '</channel></rss>'),
 cdata: fill('<rss version="2.0"><channel><title>', '<![CDATA[]]>', '</title></channel></rss>'),
 unclosed: "<rss><channel>"+"<![CDATA[".repeat(220000),
 doctype: "<!DOCTYPE a ["+"<!ENTITY a 'b'>".repeat(130000)+"]><rss/>",
 json: '{"version":"https://jsonfeed.org/version/1.1","items":['+'{"title":"a"},'.repeat(140000)+'{}]}',
 jsonDeep: "[".repeat(1000000)+"]".repeat(1000000),
 text: "x".repeat(MB2), spaces: " ".repeat(MB2), html: "<html>"+"<p>a".repeat(400000),
 gdelt: '{"articles":['+'{"title":"a","url":"https://a.example","seendate":"20261120T031500Z"},'.repeat(28000)+'{}]}',
 gdeltBad: '{"articles":["'+"\\q".repeat(1000000)+'"]}',
}
for (const [n,d] of Object.entries(docs)) { const t=performance.now(); let r: string
 r = n.startsWith("gdelt") ? (parseArticles(d) as any)._tag : (()=>{const r=feedRows(d,"s",500) as any; return r._tag+" "+(r.success?.length??r.failure)})()
 console.log(n.padEnd(14), d.length, r, (performance.now()-t).toFixed(0)+" ms") }
