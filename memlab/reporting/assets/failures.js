/* The list of failures: filters, pages of a hundred, and the one that is open. */
const PAGE = 100;

const read = (id) => JSON.parse(document.getElementById(id).textContent);

const failureButton = (index, failure, open) => {
  const probe = index.probes[failure.probe];
  const [strategy, budget] = index.groups[failure.group];
  const several = new Set(index.groups.map(([, one]) => one)).size > 1;
  const where = [foreign(cut(strategy, 60))];
  if (several) where.push(budget === null ? ", no limit" : `, ${grouped(budget)}`);
  where.push(" · ", foreign(cut(index.conversations[probe.talk][0], 40)), probe.category ? " · " : "", foreign(cut(probe.category, 40)));
  return make(
    "button",
    { type: "button", click: open },
    make("span", { class: "kinds" }, failure.kinds.map((kind) => index.kinds[kind]).join(" · ")),
    failure.value === null ? "" : make("span", { class: "value" }, `${index.metric} ${number(failure.value)}`),
    foreign(cut(probe.text, 200), "span", { class: "question" }),
    make("span", { class: "where faint" }, ...where),
  );
};

const failureFilters = (index, apply) => {
  const labels = [...new Set(index.groups.map(([label]) => label))];
  const budgets = [...new Set(index.groups.map(([, budget]) => String(budget)))];
  const categories = [...new Set(index.probes.map((probe) => probe.category))].sort();
  const datasets = [...new Set(index.conversations.map(([, dataset]) => dataset))].filter(Boolean);
  const numbered = (values) => values.map((value, n) => [String(n), value || "none"]);
  const kinds = [...new Set(index.failures.flatMap((failure) => failure.kinds))].sort((a, b) => a - b);
  const made = {
    text: search("Filter", apply),
    kind: select("what", kinds.map((kind) => [String(kind), index.kinds[kind]]), apply),
    strategy: select("strategy", numbered(labels), apply),
    budget: select("budget", numbered(budgets.map((one) => (one === "null" ? "no limit" : one))), apply),
    category: select("category", numbered(categories), apply),
    dataset: select("data set", numbered(datasets), apply),
    talk: select("conversation", numbered(index.conversations.map(([name]) => name)), apply),
  };
  const chosen = (name, values, value) => !made[name].box.value || values[Number(made[name].box.value)] === value;
  const texts = index.probes.map((probe) => [probe.text, probe.id, ...probe.answers].join("\n").toLowerCase());
  const kept = (failure) => {
    const probe = index.probes[failure.probe];
    const [label, budget] = index.groups[failure.group];
    const words = made.text.box.value.toLowerCase().split(/\s+/).filter(Boolean);
    return (
      words.every((word) => texts[failure.probe].includes(word) || label.toLowerCase().includes(word)) &&
      (!made.kind.box.value || failure.kinds.includes(Number(made.kind.box.value))) &&
      chosen("strategy", labels, label) &&
      chosen("budget", budgets, String(budget)) &&
      chosen("category", categories, probe.category) &&
      chosen("dataset", datasets, index.conversations[probe.talk][1]) &&
      (!made.talk.box.value || Number(made.talk.box.value) === probe.talk)
    );
  };
  const useful = Object.values(made).filter(({ box }) => box.tagName === "INPUT" || box.options.length > 2);
  return { elements: useful.map(({ element }) => element), kept };
};

const failureBrowser = (frame) => {
  const index = read("failure-index");
  const list = frame.querySelector("ol");
  const more = frame.querySelector(".more");
  const article = document.getElementById("failure");
  const form = document.getElementById("failure-filters");
  const told = make("output", { "aria-live": "polite", class: "faint" });
  const dialogues = new Map();
  let matches = [];
  let shown = 0;

  const mark = (n) => {
    for (const item of list.children) {
      const chosen = Number(item.dataset.failure) === n;
      if (chosen) item.firstChild.setAttribute("aria-current", "true");
      else item.firstChild.removeAttribute("aria-current");
    }
  };
  const close = () => {
    const current = list.querySelector("[aria-current]") || list.querySelector("button");
    frame.classList.remove("reading");
    if (current) current.focus();
  };
  const open = (n) => {
    const talk = index.probes[index.failures[n].probe].talk;
    if (!dialogues.has(talk)) dialogues.set(talk, read(`dialogue-${talk}`));
    article.replaceChildren(failureElement(index, n, dialogues.get(talk), close));
    article.scrollTop = 0;
    frame.classList.add("reading");
    mark(n);
    history.replaceState(null, "", `#failure-${n + 1}`);
    const beside = matchMedia("(min-width: 60rem)").matches;
    if (!beside || article.getBoundingClientRect().top < 0) article.scrollIntoView({ block: "start" });
    article.focus({ preventScroll: true });
  };
  const page = () => {
    for (const n of matches.slice(shown, shown + PAGE)) {
      const button = failureButton(index, index.failures[n], () => open(n));
      list.append(make("li", { "data-failure": n }, button));
    }
    shown = Math.min(matches.length, shown + PAGE);
    const rest = matches.length - shown;
    more.replaceChildren();
    if (rest) more.append(make("button", { type: "button", click: page }, `Show ${Math.min(rest, PAGE)} of ${grouped(rest)} more`));
  };
  const apply = () => {
    matches = index.failures.flatMap((failure, n) => (filters.kept(failure) ? [n] : []));
    list.replaceChildren();
    list.parentElement.scrollTop = 0;
    shown = 0;
    page();
    told.textContent = `${grouped(matches.length)} of ${plural(index.failures.length, "failure")}`;
  };
  const filters = failureFilters(index, apply);
  form.append(...filters.elements, told);
  form.addEventListener("submit", (event) => event.preventDefault());
  article.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
  frame.hidden = false;
  apply();
  const linked = /^#failure-(\d+)$/.exec(location.hash);
  if (linked && index.failures[Number(linked[1]) - 1]) open(Number(linked[1]) - 1);
};
