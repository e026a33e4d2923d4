/**
 * What the written products need of the world, as settings choose it: who writes, who detects, and
 * where the news comes from.
 *
 * @module
 */
import { Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import * as realNews from "../news/sources/sources.ts"
import * as openai from "../writing/openai/model.ts"
import * as newsStore from "../news/postgres/newsStore.ts"
import * as simulatedNews from "../venues/simulated/news.ts"
import { devWorld } from "../venues/simulated/venue.ts"
import { Detector } from "../predetermined/Detector.ts"
import { DigestNarrator } from "../digest/DigestNarrator.ts"
import { ReportNarrator } from "../research/ReportNarrator.ts"
import { News } from "../news/News.ts"
import { NewsSources } from "../news/NewsSources.ts"
import type { Settings } from "./settings.ts"

/** Who writes and who detects: a model where one is set, else rules. Both share the model's limits. */
export const writersLayer = (
  model: openai.ModelOptions | null,
): Layer.Layer<DigestNarrator | ReportNarrator | Detector> =>
  model === null
    ? Layer.mergeAll(
      DigestNarrator.layerTemplate,
      ReportNarrator.layerTemplate,
      Detector.layerRules,
    )
    : Layer.mergeAll(DigestNarrator.layerModel, ReportNarrator.layerModel, Detector.layerModel)
      .pipe(Layer.provide(openai.layer(model)))

/** The news, over the sources that settings name. Its service needs what is known of markets. */
export const newsLayer = (settings: Settings) =>
  News.layer.pipe(Layer.provide(newsSources(settings)), Layer.provide(newsStore.layer))

/** Headlines are told of the world that the venue is, and of no other. */
function newsSources({ news, venue, publicBaseUrl }: Settings): Layer.Layer<NewsSources> {
  if (news.kind === "real") {
    return realNews.layer({ ...news, home: publicBaseUrl }).pipe(
      Layer.provide(FetchHttpClient.layer),
    )
  }
  return news.kind === "simulated" && venue.kind === "simulated"
    ? simulatedNews.layer(devWorld(venue.seed))
    : Layer.succeed(NewsSources, [])
}
