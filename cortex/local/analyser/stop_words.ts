/**
 * Words that say nothing by themselves. The lists are those of Snowball; what
 * they leave out of questions is added.
 *
 * @module
 */
import { stopwords as arabic } from "@orama/stopwords/arabic";
import { stopwords as danish } from "@orama/stopwords/danish";
import { stopwords as dutch } from "@orama/stopwords/dutch";
import { stopwords as english } from "@orama/stopwords/english";
import { stopwords as finnish } from "@orama/stopwords/finnish";
import { stopwords as french } from "@orama/stopwords/french";
import { stopwords as german } from "@orama/stopwords/german";
import { stopwords as greek } from "@orama/stopwords/greek";
import { stopwords as hungarian } from "@orama/stopwords/hungarian";
import { stopwords as italian } from "@orama/stopwords/italian";
import { stopwords as japanese } from "@orama/stopwords/japanese";
import { stopwords as chinese } from "@orama/stopwords/mandarin";
import { stopwords as norwegian } from "@orama/stopwords/norwegian";
import { stopwords as portuguese } from "@orama/stopwords/portuguese";
import { stopwords as romanian } from "@orama/stopwords/romanian";
import { stopwords as russian } from "@orama/stopwords/russian";
import { stopwords as spanish } from "@orama/stopwords/spanish";
import { stopwords as swedish } from "@orama/stopwords/swedish";
import { stopwords as turkish } from "@orama/stopwords/turkish";

/** Stop words by language, as they are written. */
export const STOP_WORDS = {
  en: extended(
    english,
    "also us ever every much many let shall may might im ive id ill dont doesnt didnt cant wont isnt arent wasnt werent whats wheres whos hows thats lets please tell",
  ),
  de: extended(
    german,
    "wer wen wem wessen wann warum wieso weshalb woher wohin womit wofür welch welches eines dass bitte gibt gab sei wäre hätte würden darf dürfen mag mögen soll sollen ja nein mal war wurde wurden worden habt hast ihres ihrem sowie bzw",
  ),
  fr: extended(
    french,
    "les cet cette quel quelle quels quelles quand comment combien où ou pourquoi quoi dont si plus très tout tous toute toutes fait faut être avoir est ont était sans sous entre chez vers donc or ni car ici là cela ça celui celle ceux leurs lors aussi peut doit",
  ),
  es: extended(
    spanish,
    "cuál cual cuáles cuándo cuando cómo como dónde donde quién quien quiénes qué cuánto cuánta cuántos cuántas por para pero si muy más sin sobre ser hay fue era son está están esto esta este ese esa eso debe puede",
  ),
  it: extended(
    italian,
    "quale quali quando come dove chi che perché quanto quanta quanti quante cosa sono era essere ha hanno più molto anche si no deve può questo questa quello quella",
  ),
  pt: extended(
    portuguese,
    "qual quais quando como onde quem que porquê porque quanto quanta quantos quantas é são foi ser estar está muito mais também não sim deve pode este esta isso isto aquele",
  ),
  nl: extended(
    dutch,
    "welke welk wanneer waarom hoe waar wie wat hoeveel wordt worden werd moet mag kan heeft",
  ),
  sv: extended(
    swedish,
    "vilken vilket vilka när hur var vem vad varför ska skall måste får finns",
  ),
  no: extended(
    norwegian,
    "hvilken hvilket hvilke når hvordan hvor hvem hva hvorfor skal må finnes",
  ),
  da: extended(
    danish,
    "hvilken hvilket hvilke hvornår hvordan hvor hvem hvad hvorfor skal må findes",
  ),
  fi: finnish,
  hu: hungarian,
  ro: romanian,
  tr: turkish,
  ru: extended(
    russian,
    "какой какая какое какие где когда почему зачем кто сколько чей",
  ),
  el: greek,
  ar: arabic,
} as const;

/** The same of scripts without spaces, and of Korean. */
export const STOP_WORDS_WITHOUT_SPACES: ReadonlySet<string> = new Set([
  ...japanese,
  ...chinese.filter((word) => word.length <= 2),
  ..."いつ どこ だれ 誰 なぜ どう どんな どれ どちら いくつ いくら か は が を に へ と も の ね よ さん 様 ですか ますか した して います ました ください"
    .split(" "),
  ..."什么 哪 哪里 哪个 哪些 哪儿 谁 几 怎么 怎样 多少 吗 呢 吧 的 了 是 在 和 有 我 你 他 她 它 们 我们 你们 他们 这 那 这个 那个 什麼 哪裡 怎麼 個 嗎 們"
    .split(" "),
]);

function extended(list: readonly string[], more: string): readonly string[] {
  return [...list, ...more.split(" ")];
}
