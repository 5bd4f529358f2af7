/* One failure: question, what should have come back, what did, and the dialogue. */
const FIRST = 10;

const line = (name, ...content) => make("div", {}, make("dt", {}, name), make("dd", {}, ...content));

const number = (value) => (value === null ? "–" : String(Math.round(value * 1000) / 1000));

const rankedTurn = (turns, place, mark, show, rank) => {
  const turn = turns.get(place);
  const head = make("span", { class: "who" }, rank === null ? "" : `${rank}. `);
  const text = turn ? foreign(cut(turn.text, 400), "span", { class: "said" }) : "";
  const who = turn ? foreign(turn.speaker) : "";
  const name = foreign(turn ? turn.id : String(place));
  head.append(name, " ", who, turn ? "" : " (no turn of this dialogue)", " ", mark ? badge(mark) : "");
  const button = make("button", { type: "button", class: `turn${mark ? ` marked ${mark.kinds[0]}` : ""}` }, head, text);
  if (turn) button.addEventListener("click", () => show(place));
  else button.disabled = true;
  return make("li", {}, button);
};

const turnsList = (title, places, turns, marks, show) => {
  if (!places.length) return "";
  const items = places.map((place) => rankedTurn(turns, place, marks.get(place), show, null));
  return make("section", {}, make("h4", {}, title), make("ul", { class: "ranks" }, ...items));
};

const returnedList = (failure, turns, marks, show) => {
  const list = make("ol", { class: "ranks" });
  const rows = failure.ranks.map((place, rank) => [place, rank]);
  const draw = (some) =>
    list.append(...some.map(([place, rank]) => {
      const mark = { ...(marks.get(place) || { kinds: ["wrong"] }), rank: null };
      mark.rejected = failure.rejected.includes(rank);
      return rankedTurn(turns, place, mark, show, rank + 1);
    }));
  draw(rows.slice(0, FIRST));
  const title = make("h4", {}, `Returned: ${plural(failure.total, "rank")}, ${plural(failure.tokens, "token")}`);
  if (failure.cut) title.append(" (the budget ended the list)");
  const section = make("section", {}, title, list);
  if (rows.length > FIRST) {
    const more = make("button", { type: "button" }, `Show ranks ${FIRST + 1} to ${rows.length}`);
    more.addEventListener("click", () => {
      draw(rows.slice(FIRST));
      more.remove();
    });
    section.append(make("p", { class: "buttons" }, more));
  }
  return section;
};

const derivedList = (failure) => {
  if (!failure.derived || !failure.derived.length) return "";
  const items = failure.derived.map(([kind, text]) =>
    make("li", {}, make("span", { class: "badge" }, visible(kind)), " ", foreign(text, "span", { class: "said" })));
  return make("section", {}, make("h4", {}, "Texts that are no whole turns"), make("ol", { class: "derived" }, ...items));
};

const factsOf = (index, failure, probe) => {
  const [strategy, budget] = index.groups[failure.group];
  const [talk, dataset] = index.conversations[probe.talk];
  const facts = make("dl", { class: "facts" });
  facts.append(line("strategy", foreign(strategy), budget === null ? ", no limit" : `, ${grouped(budget)} tokens`));
  facts.append(line("conversation", foreign(talk), talk.includes(dataset) ? "" : " of ", talk.includes(dataset) ? "" : foreign(dataset)));
  facts.append(line("question", foreign(probe.id), ` asked ${probe.time}`, probe.user ? " by " : "", foreign(probe.user)));
  if (probe.category) facts.append(line("category", foreign(probe.category)));
  const scores = index.metrics.map((name, n) => `${name} ${number(failure.values[n])}`);
  facts.append(line(index.metric, number(failure.value)), line("scores", scores.join(" · ")));
  if (failure.error !== null) facts.append(line("error", foreign(failure.error, "code")));
  const answers = probe.answers.flatMap((answer, n) => [n ? " | " : "", foreign(answer)]);
  facts.append(line("answers", ...(answers.length ? answers : [make("span", { class: "faint" }, probe.answerable ? "none given" : "it cannot be answered")])));
  return facts;
};

const failureElement = (index, number_, dialogue, close) => {
  const failure = index.failures[number_];
  const probe = index.probes[failure.probe];
  const list = dialogue.turns.map((fields) => turnOf(dialogue, fields));
  const turns = new Map(list.map((turn) => [turn.place, turn]));
  const marks = marksOf(failure, probe);
  const shown = dialogueElement(dialogue, list, marks, probe.said);
  const kinds = failure.kinds.map((kind) => index.kinds[kind]).join(" · ");
  const part = list.length < dialogue.total ? `${grouped(list.length)} of ` : "";
  return make(
    "div",
    {},
    make("p", { class: "buttons back" }, make("button", { type: "button", click: close }, "Back to the list")),
    make("p", { class: "kinds" }, kinds),
    foreign(probe.text, "h3"),
    factsOf(index, failure, probe),
    turnsList("Evidence", probe.evidence, turns, marks, shown.show),
    turnsList("Superseded", probe.stale, turns, marks, shown.show),
    turnsList("Forbidden: deleted, or of another user", probe.forbidden, turns, marks, shown.show),
    returnedList(failure, turns, marks, shown.show),
    derivedList(failure),
    make("section", {}, make("h4", {}, "Dialogue: ", part, plural(dialogue.total, "turn"), ` in ${plural(dialogue.sessions.length, "session")}`), shown.element),
  );
};
