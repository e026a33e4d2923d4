/**
 * The signing code of `python.py` makes the same addresses, hashes and signatures as viem.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { hashTypedData, type Hex, keccak256, toHex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { transferTypes } from "../support/payments/buyers.ts"
import { quickstarts } from "../support/examples/quickstarts.ts"
import { Random } from "../support/random.ts"
import { sized } from "../support/size.ts"

/** Reads cases as JSON, prints what the module makes of them as JSON. */
const program = `
import json, sys
from eip3009 import *
def signed(key, message, name, version, chainId, verifyingContract):
    digest = transfer_digest(message, (name, version, chainId, verifyingContract))
    return [address_of(int(key, 16)), "0x" + digest.hex(), sign_digest(int(key, 16), digest)]
cases = json.load(sys.stdin)
print(json.dumps({
    "hashes": ["0x" + keccak256(bytes.fromhex(text[2:])).hex() for text in cases["texts"]],
    "signed": [signed(c["key"], c["message"], **c["domain"]) for c in cases["transfers"]],
}))`

async function python(cases: object): Promise<unknown> {
  const process = new Deno.Command("python3", {
    args: ["-B", "-c", program],
    cwd: quickstarts,
    stdin: "piped",
    stdout: "piped",
  }).spawn()
  await new Blob([JSON.stringify(cases)]).stream().pipeTo(process.stdin)
  return JSON.parse(new TextDecoder().decode((await process.output()).stdout))
}

const random = new Random(3009)
const hex = (bytes: number): Hex =>
  toHex(Uint8Array.from({ length: bytes }, () => Math.floor(random.fraction() * 256)))
/** The order of secp256k1; a key is smaller. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const edgeKeys: ReadonlyArray<Hex> = [1n, 2n, order - 1n].map((key) => toHex(key, { size: 32 }))

/** Around the 136 bytes that Keccak-256 reads at a time. */
const textLengths = [0, 1, 55, 56, 135, 136, 137, 271, 272, 273]

const transfers = Array.from({ length: sized({ short: 30, full: 300 }) }, (_, n) => ({
  key: edgeKeys[n] ?? hex(32),
  domain: {
    name: n % 2 === 0 ? "USD Coin" : "USDC",
    version: "2",
    chainId: n % 2 === 0 ? 8453 : 84532,
    verifyingContract: hex(20),
  },
  message: {
    from: hex(20),
    to: hex(20),
    value: BigInt(hex(1 + n % 6)).toString(),
    validAfter: String(1_800_000_000 + n),
    validBefore: String(1_800_000_120 + n),
    nonce: hex(32),
  },
}))

Deno.test("eip3009.py hashes and signs as viem does", async () => {
  const texts = textLengths.map(hex)
  const signed = await Promise.all(transfers.map(async ({ key, domain, message }) => {
    const account = privateKeyToAccount(key)
    const { value, validAfter, validBefore } = message
    const typed = {
      domain,
      types: transferTypes,
      primaryType: "TransferWithAuthorization",
      message: {
        ...message,
        value: BigInt(value),
        validAfter: BigInt(validAfter),
        validBefore: BigInt(validBefore),
      },
    } as const
    const signature = await account.signTypedData(typed)
    return [account.address.toLowerCase(), hashTypedData(typed), signature]
  }))
  const hashes = texts.map((text) => keccak256(text))
  equal(await python({ texts, transfers }), { hashes, signed })
})
