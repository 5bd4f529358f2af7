for (const frame of document.querySelectorAll(".table")) {
  const table = frame.querySelector("table");
  sortable(table);
  filterable(frame, table);
}

const browser = document.getElementById("browser");
if (browser) failureBrowser(browser);

/* On paper everything is open. */
const closed = new Set();
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details:not([open])")) {
    closed.add(details);
    details.open = true;
  }
});
addEventListener("afterprint", () => {
  closed.forEach((details) => (details.open = false));
  closed.clear();
});
