/* Tables that sort by every column and filter by text and by the columns that offer choices. */
const FEW = 8;

const sortKey = (row, column, numeric) => {
  const cell = row.cells[column];
  const key = cell.dataset.key;
  if (key === undefined) return numeric ? NaN : cell.textContent.trim();
  return key === "" ? NaN : Number(key);
};

const isMissing = (key) => key === "" || Number.isNaN(key);

const compareKeys = (a, b, sign) => {
  if (isMissing(a) || isMissing(b)) return isMissing(a) - isMissing(b); // last, both ways
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  return sign * String(a).localeCompare(String(b), "en", { numeric: true });
};

const sortable = (table) => {
  const body = table.tBodies[0];
  const given = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const sortBy = (column) => {
    const head = heads[column];
    const numeric = "number" in head.dataset;
    const ways = numeric ? ["descending", "ascending"] : ["ascending", "descending"];
    const way = ways[ways.indexOf(head.getAttribute("aria-sort")) + 1];
    heads.forEach((one) => one.removeAttribute("aria-sort"));
    const rows = [...given];
    if (way) {
      head.setAttribute("aria-sort", way);
      const sign = way === "ascending" ? 1 : -1;
      const keys = new Map(rows.map((row) => [row, sortKey(row, column, numeric)]));
      rows.sort((a, b) => compareKeys(keys.get(a), keys.get(b), sign));
    }
    body.append(...rows);
  };
  heads.forEach((head, column) => {
    const button = make("button", { type: "button", click: () => sortBy(column) });
    button.append(...head.childNodes, make("span", { class: "arrow", "aria-hidden": "true" }));
    head.append(button);
  });
};

const choices = (rows, column) =>
  [...new Set(rows.map((row) => row.cells[column].textContent.trim()))].map((text) => [text, text]);

const filterable = (frame, table) => {
  const rows = [...table.tBodies[0].rows];
  const told = make("output", { "aria-live": "polite", class: "faint" });
  const filters = [];
  const apply = () => {
    const words = text.box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const content = row.textContent.toLowerCase();
      const kept =
        words.every((word) => content.includes(word)) &&
        filters.every(({ box, column }) => !box.value || row.cells[column].textContent.trim() === box.value);
      row.hidden = !kept;
      shown += kept;
    }
    told.textContent = shown === rows.length ? plural(shown, "row") : `${shown} of ${plural(rows.length, "row")}`;
  };
  const text = search("Filter", apply);
  const bar = make("form", { class: "filters" }, text.element);
  bar.addEventListener("submit", (event) => event.preventDefault());
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    if (!("choose" in head.dataset)) return;
    const values = choices(rows, column);
    if (values.length < 2) return;
    const made = select(head.textContent.trim(), values, apply);
    filters.push({ box: made.box, column });
    bar.append(made.element);
  });
  if (rows.length < FEW && !filters.length) return;
  bar.append(told);
  frame.prepend(bar);
  apply();
};
