// What only some questionnaires need of the rules: patterns, dates, quantities, rankings, locations, and expressions.

import { amounts, exact, order } from "./arithmetic.js";
import { evaluate, items, value } from "./expressions.js";
import { days, instant, localDay, parsers, seconds } from "./moments.js";
import { matches } from "./patterns.js";
import { MOST, literal } from "./rules.js";

function quantity(reader) {
  const { unitOption } = reader.item;
  const text = reader.field();
  if (!text) return undefined;
  const name = reader.field(".unit");
  const unit = !name && unitOption.length === 1 ? 0 : unitOption.indexOf(name);
  const number = reader.anyNumber(text);
  if (unit < 0) return reader.fault("not_a_unit");
  if (!number) return undefined;
  const value = { type: "quantity", value: number.value, unit, scales: reader.item.unitScale };
  reader.checkRange(value, (bound) => {
    const [own, other] = amounts(value, { value: bound, unit: 0 }) ?? [exact(value.value), exact(bound)];
    return order(own, other);
  });
  return value;
}
function moment(reader, value) {
  const { type } = reader.item;
  if (value === null) return reader.fault({ date: "invalid_date", time: "invalid_time", dateTime: "invalid_date_time" }[type]);
  reader.checkRange(value, (bound) => value - parsers[type](bound));
  return { type, value };
}
function dateTime(reader) {
  const [date, time] = [reader.field(".date"), reader.field(".time")];
  if (!date && !time) return undefined;
  const [day, second] = [days(date), seconds(time)];
  if (day === null || second === null) return moment(reader, null);
  const at = instant(day, second, reader.zone);
  return at === null ? reader.unknown() : moment(reader, at);
}
function ranking(reader) {
  const { answerOption } = reader.item;
  const ranked = answerOption.filter(({ value }) => /^[+-]?\d+$/.test(reader.field(`[${value}]`)));
  if (!ranked.length) return undefined;
  if (ranked.length < answerOption.length) return reader.fault("incomplete_ranking");
  const rank = ({ value }) => Number(reader.field(`[${value}]`));
  return { type: "ranking", value: ranked.sort((a, b) => rank(a) - rank(b)).map(({ value }) => value).join(" ") };
}
function locations(reader) {
  const prefixes = Array.from({ length: MOST }, (_, index) => `[${index}]`);
  const filled = prefixes.filter((prefix) => reader.field(`${prefix}.lat`) || reader.field(`${prefix}.lon`));
  return reader.several(filled, (prefix) => location(reader, prefix));
}
function location(reader, prefix = "") {
  const [lat, lon, accuracy] = [".lat", ".lon", ".accuracy_m"].map((suffix) => reader.field(prefix + suffix));
  if (!lat && !lon) return undefined;
  const check = (text, least, most) => {
    const form = literal(text);
    if (form === undefined) reader.unknown();
    else if (form === null) reader.fault("wrong_type");
    else if (Number(form) < least) reader.fault("below_minimum");
    else if (Number(form) > most) reader.fault("above_maximum");
  };
  check(lat, -90, 90);
  check(lon, -180, 180);
  if (accuracy) check(accuracy, 0, 100000);
  return {};
}
const one = (value) => value && { values: [value] };
/** Type -> reads the fields of an item into an answer. */
const readers = {
  ranking: (reader) => one(ranking(reader)),
  quantity: (reader) => reader.item.repeats ? reader.unknown() : one(quantity(reader)),
  location: (reader) => reader.item.repeats ? locations(reader) : one(location(reader)),
  dateTime: (reader) => reader.item.repeats ? reader.unknown() : one(dateTime(reader)),
};
export const rare = { amounts, evaluate, items, localDay, matches, moment, order, parsers, readers, value };
