// The script of all pages of Roost. SPDX-License-Identifier: Apache-2.0
// It makes no markup from texts: a live page's parts come parsed from the server, which has escaped them.
"use strict";
(() => {
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];

  // The version of a live page's parts; empty asks for all of them.
  let tag = "";

  // A journal is stepped through: the steps behind the present one are hidden.
  const place = new Map();
  const show = (list, index) => {
    const steps = all("[data-step]", list);
    const at = index === null ? null : Math.max(0, Math.min(index, steps.length - 1));
    place.set(list.id, at === null ? null : steps[at]?.dataset.step);
    if (at === null) tag = "";
    steps.forEach((step, number) => {
      step.classList.toggle("after", at !== null && number > at);
      if (number === at) step.setAttribute("aria-current", "step");
      else step.removeAttribute("aria-current");
    });
    const section = list.closest("[data-part]") ?? document;
    const output = section.querySelector('[data-state="step"]');
    const words = at === null ? "All steps are shown."
      : `Step ${at + 1} of ${steps.length}: ${steps[at].querySelector(".event p").textContent.slice(0, 160)}`;
    if (output && output.textContent !== words) output.textContent = words;
    return at === null ? null : steps[at];
  };
  const present = (list) => all("[data-step]", list).findIndex((step) => step.hasAttribute("aria-current"));
  const go = (list, way) => {
    const at = present(list);
    const count = all("[data-step]", list).length;
    const next = { first: 0, last: count - 1, all: null, back: at < 0 ? count - 1 : at - 1, next: at + 1 }[way];
    show(list, next)?.scrollIntoView({ block: "nearest" });
  };
  const prepare = () => {
    for (const controls of all(".controls")) controls.classList.add("ready");
    for (const list of all("[data-steps]")) {
      const step = place.get(list.id);
      if (step === undefined || step === null) continue;
      show(list, all("[data-step]", list).findIndex((other) => other.dataset.step === step));
    }
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-go]");
    if (button) go(button.closest("[data-part]").querySelector("[data-steps]"), button.dataset.go);
  });
  document.addEventListener("keydown", (event) => {
    const list = event.target.closest?.("[data-steps]");
    const way = { ArrowRight: "next", ArrowLeft: "back", Home: "first", End: "last", Escape: "all" }[event.key];
    if (!list || !way) return;
    event.preventDefault();
    go(list, way);
  });
  prepare();

  // The try-out chat speaks the server's protocol: a socket with frames of four letters and JSON, and REST calls.
  const form = document.querySelector("[data-chat]");
  if (form) {
    const field = (id) => document.getElementById(id);
    const output = document.querySelector('[data-state="chat"]');
    const log = field("chat-log");
    const known = new Map();
    let socket = null, key = "", user = "", channel = "", count = 0;
    const say = (words) => { output.textContent = words; };
    // Marks of direction and characters that nobody sees are shown by their numbers, as in all pages.
    const cut = (text) => (text.length > 4000 ? `${text.slice(0, 4000)}… (${text.length - 4000} more)` : text);
    const plain = (text) => cut(String(text ?? "")).replace(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu,
      (sign) => `[U+${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);
    const part = (name, kind, text) => {
      const element = document.createElement(name);
      element.className = kind;
      element.textContent = plain(text);
      return element;
    };
    const put = (message, words) => {
      if (message.channel_url && message.channel_url !== channel) return;
      const id = message.msg_id ?? message.message_id;
      const old = known.get(id);
      const line = part("li", "", "");
      const moment = new Date(message.ts ?? message.created_at ?? Date.now());
      line.append(part("small", "", moment.toISOString().slice(11, 19)), " ",
        part("b", "", message.user?.user_id ?? "administrator"), " ",
        part("bdi", "quoted", message.message ?? message.name ?? ""), " ", part("small", "", words ?? ""));
      if (old) old.replaceWith(line);
      else log.append(line);
      known.set(id, line);
      line.message = id;
      while (log.children.length > 200) {
        known.delete(log.firstChild.message);
        log.firstChild.remove();
      }
      log.scrollTop = log.scrollHeight;
    };
    const call = async (method, path, body) => {
      const answer = await fetch(`/v3${path}`, {
        method, credentials: "omit", headers: { "Session-Key": key, "Content-Type": "application/json" },
        body: body && JSON.stringify(body),
      });
      const object = await answer.json();
      if (object.error) throw new Error(`${object.message} (${object.code})`);
      return object;
    };
    const enter = async () => {
      const path = `/group_channels/${encodeURIComponent(channel)}`;
      // A member and an invited user may join too; a visitor of a public channel must.
      try {
        await call("PUT", `${path}/join`, {});
      } catch {
        await call("POST", "/group_channels", { user_ids: [user], channel_url: channel, is_public: true });
      }
      const page = await call("GET",
        `${path}/messages?message_ts=${Date.now() + 86400000}&prev_limit=50&next_limit=0&include=true&is_sdk=true`);
      for (const message of page.messages) put(message, message.updated_at ? "edited" : "");
      say(`Connected as ${plain(user)}, in ${plain(channel)}.`);
      field("chat-text").focus();
    };
    const take = (frame) => {
      const name = frame.slice(0, 4);
      const body = JSON.parse(frame.slice(4) || "{}");
      if (name === "LOGI" && body.error) say(`Refused: ${plain(body.message)} (${body.code})`);
      else if (name === "LOGI") {
        key = body.key;
        enter().catch((error) => say(plain(error.message)));
      } else if (["MESG", "FILE", "ADMM"].includes(name)) put(body);
      else if (["MEDI", "FEDI", "AEDI"].includes(name)) put(body, "edited");
      else if (name === "DELM") {
        const line = known.get(body.msg_id ?? Number(body.message_id));
        if (line) line.replaceChildren(part("small", "bad", "deleted"));
      } else if (name === "EROR") say(`Refused: ${plain(body.message)} (${body.code})`);
    };
    const send = (name, body) => socket?.readyState === 1 && socket.send(`${name}${JSON.stringify(body)}\n`);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      socket?.close();
      [user, channel] = [field("chat-user").value, field("chat-channel").value];
      log.replaceChildren();
      known.clear();
      const query = new URLSearchParams({ p: "JS", ai: form.dataset.chat, user_id: user });
      const token = field("chat-token")?.value;
      // Logs and histories keep addresses, so the token is in none.
      const encode = (text) => encodeURIComponent(text).replace(/[()]/g, (sign) => sign === "(" ? "%28" : "%29");
      const credentials = token ? [encode(JSON.stringify({ token }))] : [];
      const mine = socket = new WebSocket(`${location.origin.replace("http", "ws")}/?${query}`, credentials);
      say("Connecting.");
      mine.onmessage = (message) => {
        if (mine === socket) for (const frame of String(message.data).split("\n")) if (frame) take(frame);
      };
      mine.onclose = () => { if (mine === socket && !output.textContent.startsWith("Refused")) say("Not connected."); };
    });
    field("chat-say").addEventListener("submit", (event) => {
      event.preventDefault();
      const message = field("chat-text").value;
      if (!send("MESG", { channel_url: channel, message, req_id: `page-${Date.now()}-${count += 1}` })) {
        // `send` of an open socket returns nothing, so only a closed one comes here with false.
        if (socket?.readyState !== 1) return say("Not connected.");
      }
      field("chat-text").value = "";
    });
    setInterval(() => send("PING", { id: Date.now(), req_id: "" }), 10000);
  }

  // A live page asks for its parts, and replaces those that have changed.
  const main = document.querySelector("main[data-view]");
  if (!main) return;
  const status = main.querySelector('[data-state="live"]');
  let isAsking = false;
  const tell = (words, isLost) => {
    if (status.textContent === words) return;
    status.textContent = words;
    status.classList.toggle("lost", isLost);
  };
  const take = (page) => {
    for (const part of all("[data-part]", page)) {
      const old = document.getElementById(part.id);
      // A journal stays as it is while a person steps through it.
      if (!old || old.dataset.source === part.outerHTML || old.querySelector("[aria-current=step]")) continue;
      const source = part.outerHTML;
      const open = all("details[open]", old).map((details) => details.id);
      const focus = old.contains(document.activeElement) ? document.activeElement : null;
      const way = focus?.dataset.go;
      for (const id of open) part.querySelector(`#${CSS.escape(id)}`)?.setAttribute("open", "");
      const fresh = document.importNode(part, true);
      fresh.dataset.source = source;
      old.replaceWith(fresh);
      const next = focus && (focus.id ? document.getElementById(focus.id)
        : way ? fresh.querySelector(`[data-go="${CSS.escape(way)}"]`)
        : focus.matches("summary") ? fresh.querySelector(`#${CSS.escape(focus.parentNode.id)} > summary`) : null);
      next?.focus({ preventScroll: true });
    }
    prepare();
  };
  const ask = () => {
    if (isAsking || document.hidden) return;
    isAsking = true;
    // Parsed by the browser without running anything, and so no string becomes markup here.
    const request = new XMLHttpRequest();
    request.open("GET", main.dataset.view);
    request.responseType = "document";
    request.timeout = 10000;
    if (tag) request.setRequestHeader("If-None-Match", tag);
    request.onloadend = () => {
      isAsking = false;
      if (request.status === 200 && request.response) {
        tag = request.getResponseHeader("ETag") ?? "";
        take(request.response);
        tell("live", false);
      } else if (request.status === 304) tell("live", false);
      else tell(request.status === 403 ? "this link has ended" : "not reachable", true);
    };
    request.send();
  };
  setInterval(ask, 1000);
  document.addEventListener("visibilitychange", ask);
})();
