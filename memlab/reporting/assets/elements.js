/* Elements are made with text nodes alone: no text of a dialogue is ever read as HTML. */
const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "click") element.addEventListener("click", value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null && child !== ""));
  return element;
};

const language = (text) => {
  if (/[\u3040-\u30ff]/.test(text)) return "ja";
  if (/[\uac00-\ud7af]/.test(text)) return "ko";
  return /\p{Script=Han}/u.test(text) ? "zh" : null;
};

/* Control characters are shown as escapes, so that nothing is invisible. */
const visible = (text) =>
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ud800-\udfff]/gu, (letter) => {
    const code = letter.codePointAt(0).toString(16);
    return code.length > 2 ? `\\u${code}` : `\\x${code.padStart(2, "0")}`;
  });

const foreign = (text, tag = "bdi", attributes = {}) =>
  make(tag, { dir: tag === "bdi" ? null : "auto", lang: language(text), ...attributes }, visible(text));

const cut = (text, most) => (text.length > most ? `${text.slice(0, most)}…` : text);
const grouped = (number) => number.toLocaleString("en-US");
const plural = (number, word) => `${grouped(number)} ${word}${number === 1 ? "" : "s"}`;

const select = (label, values, change) => {
  const box = make("select", {}, make("option", { value: "" }, "all"));
  for (const [value, text] of values) box.append(foreign(cut(text, 60), "option", { value, dir: null }));
  box.addEventListener("change", change);
  return { box, element: make("label", {}, `${label} `, box) };
};

const search = (label, change) => {
  const box = make("input", { type: "search", autocomplete: "off", spellcheck: "false" });
  box.addEventListener("input", change);
  return { box, element: make("label", {}, `${label} `, box) };
};
