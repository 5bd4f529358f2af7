// A page that was opened from a file may start no worker, and search runs in one: there its
// script runs in a hidden frame instead, which answers to the same calls.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(url) {
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.srcdoc = "<!doctype html><title>search</title>";
      this.frame.onload = () => this.start(new URL(url, document.baseURI));
      document.documentElement.append(this.frame);
    }

    start(url) {
      this.frame.onload = null;
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => {
        const event = new MessageEvent("message", { data: structuredClone(data) });
        setTimeout(() => this.onmessage?.(event));
      };
      const script = inside.document.createElement("script");
      script.onload = () => {
        const waiting = this.waiting;
        this.waiting = null;
        waiting.forEach((data) => this.postMessage(data));
      };
      script.onerror = (event) => this.onerror?.(event);
      script.src = url;
      inside.document.body.append(script);
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.deliver(this.frame.contentWindow, data);
    }

    deliver(inside, data) {
      const event = new MessageEvent("message", { data: inside.structuredClone(data) });
      setTimeout(() => inside.dispatchEvent(event));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
