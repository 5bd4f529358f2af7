/* A dialogue by session; a session is drawn when it is opened. */
const MARKS = {
  found: ["✓", "evidence, found"],
  missed: ["✗", "evidence, missed"],
  stale: ["↻", "superseded"],
  forbidden: ["⊘", "forbidden"],
  wrong: ["·", "returned"],
};

/* What a read did with each turn: place -> {kinds, rank, rejected}. */
const marksOf = (failure, probe) => {
  const marks = new Map();
  const at = (place) => {
    if (!marks.has(place)) marks.set(place, { kinds: [], rank: null, rejected: false });
    return marks.get(place);
  };
  failure.ranks.forEach((place, rank) => {
    const mark = at(place);
    if (mark.rank === null || (mark.rejected && !failure.rejected.includes(rank))) {
      mark.rank = rank + 1;
      mark.rejected = failure.rejected.includes(rank);
    }
  });
  for (const [rank, place] of failure.late) if (at(place).rank === null) at(place).rank = rank + 1;
  for (const place of probe.evidence) {
    const mark = at(place);
    mark.kinds.push(mark.rank !== null && !mark.rejected ? "found" : "missed");
  }
  for (const place of probe.stale) if (!probe.evidence.includes(place)) at(place).kinds.push("stale");
  for (const place of probe.forbidden) at(place).kinds.push("forbidden");
  for (const mark of marks.values()) if (!mark.kinds.length) mark.kinds.push("wrong");
  return marks;
};

const badge = (mark) => {
  const names = mark.kinds.map((kind) => MARKS[kind][1]).join(", ");
  const rank = mark.rank === null ? "" : ` · rank ${mark.rank}`;
  const claim = mark.rejected ? " · claim not borne out" : "";
  return make("span", { class: `badge ${mark.kinds[0]}` }, `${MARKS[mark.kinds[0]][0]} ${names}${rank}${claim}`);
};

const turnOf = (dialogue, fields) => {
  const [place, session, id, speaker, time, text, more, user] = fields;
  return { place, session, id, speaker, time, text, more, user };
};

const turnElement = (turn, mark, said) => {
  const head = make("p", { class: "who" }, foreign(turn.speaker), ` · ${turn.time} · `, foreign(turn.id));
  if (turn.user) head.append(" · owner ", foreign(turn.user));
  if (mark) head.append(" ", badge(mark));
  if (turn.place >= said) head.append(" ", make("span", { class: "badge" }, "said after the question"));
  const text = turn.more ? `${turn.text}… (${grouped(turn.more)} more characters)` : turn.text;
  const kind = mark ? ` marked ${mark.kinds[0]}` : "";
  const later = turn.place >= said ? " later" : "";
  return make(
    "li",
    { class: `turn${kind}${later}`, "data-place": turn.place, tabindex: "-1" },
    head,
    foreign(text, "p", { class: "said" }),
  );
};

const counted = (turns, marks) => {
  const counts = {};
  for (const { place } of turns) {
    const mark = marks.get(place);
    for (const kind of mark ? mark.kinds : []) counts[kind] = (counts[kind] || 0) + 1;
  }
  return Object.keys(MARKS)
    .filter((kind) => counts[kind])
    .map((kind) => make("span", { class: `badge ${kind}` }, `${MARKS[kind][0]} ${counts[kind]} ${MARKS[kind][1]}`));
};

const gap = (tag, from, to) =>
  to > from ? make(tag, { class: "gap faint" }, `${plural(to - from, "turn")} left out`) : "";

const asked = (tag) => make(tag, { class: "asked" }, "The question was asked here.");

const sessionElement = (name, turns, marks, said) => {
  const list = make("ol", { class: "turns" });
  const day = turns[0].time.slice(0, 10);
  const summary = make("summary", {}, "Session ", foreign(name), ` · ${day} · ${plural(turns.length, "turn")} `);
  summary.append(...counted(turns, marks).flatMap((one) => [one, " "]));
  const element = make("details", { class: "session" }, summary, list);
  let drawn = false;
  const draw = () => {
    if (drawn) return;
    drawn = true;
    let place = turns[0].place;
    for (const turn of turns) {
      list.append(gap("li", place, turn.place));
      if (place <= said && said <= turn.place && turn !== turns[0]) list.append(asked("li"));
      list.append(turnElement(turn, marks.get(turn.place), said));
      place = turn.place + 1;
    }
  };
  element.addEventListener("toggle", draw);
  const important = turns.some(({ place }) => marks.has(place) && marks.get(place).kinds[0] !== "wrong");
  return { element, draw, important };
};

const runsOf = (dialogue, turns, marks) => {
  const runs = [];
  for (const turn of turns) {
    const run = runs[runs.length - 1];
    if (run && run[0].session === turn.session) run.push(turn);
    else runs.push([turn]);
  }
  if (turns.length === dialogue.total) return runs;
  return runs.filter((run) => run.some(({ place }) => marks.has(place))); // others serve other failures
};

const dialogueElement = (dialogue, turns, marks, said) => {
  const runs = runsOf(dialogue, turns, marks);
  const sessions = runs.map((run) => ({
    ...sessionElement(dialogue.sessions[run[0].session], run, marks, said),
    run,
  }));
  const open = (kept) =>
    sessions.forEach((session) => {
      if (kept(session)) session.draw();
      session.element.open = kept(session);
    });
  const show = (place) => {
    const session = sessions.find(({ run }) => run.some((turn) => turn.place === place));
    if (!session) return;
    session.draw();
    session.element.open = true;
    const target = session.element.querySelector(`[data-place="${place}"]`);
    target.scrollIntoView({ block: "center" });
    target.focus({ preventScroll: true });
  };
  open((session) => session.important);
  const buttons = make(
    "p",
    { class: "buttons" },
    make("button", { type: "button", click: () => open(() => true) }, "Open all sessions"),
    make("button", { type: "button", click: () => open(() => false) }, "Close all"),
    make("button", { type: "button", click: () => open((session) => session.important) }, "Evidence only"),
  );
  const elements = [];
  let place = 0;
  for (const { element, run } of sessions) {
    elements.push(gap("p", place, run[0].place));
    if (place <= said && said <= run[0].place) elements.push(asked("p")); // between two sessions
    elements.push(element);
    place = run[run.length - 1].place + 1;
  }
  elements.push(gap("p", place, dialogue.total), said >= place ? asked("p") : "");
  return { element: make("div", {}, buttons, ...elements.filter(Boolean)), show };
};
