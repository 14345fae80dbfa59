// A proxy that does to requests and replies what bad proxies and bad networks do. `node hostile-proxy.mjs URL [PORT]
// [SEED] [RATE]` runs one by hand; the tests use the class.

import { createServer, request } from "node:http";
import { fileURLToPath } from "node:url";
import { seeded } from "./fake-service.mjs";

const misdeeds = ["delay", "refuse", "cut", "half", "repeat", "503", "429", "html", "401", "304", "hang", "empty", "500"];

export class HostileProxy {
  /** How many of 100 requests something happens to. */
  rate;
  requests = 0;
  done = {};
  #old = [];

  constructor(target, { random, rate = 40, speed = 1, kinds = misdeeds }) {
    this.target = new URL(target);
    Object.assign(this, { random, rate, speed, kinds });
    this.server = createServer((from, to) => this.#handle(from, to));
  }

  listen(port = 0) {
    return new Promise((resolve) => this.server.listen(port, "127.0.0.1", () => resolve(this.server.address().port)));
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }

  async #handle(from, to) {
    this.requests++;
    const kind = this.random() * 100 < this.rate ? this.kinds[Math.floor(this.random() * this.kinds.length)] : "none";
    this.done[kind] = (this.done[kind] ?? 0) + 1;
    const plain = (status, body = "", headers = {}) => to.writeHead(status, headers).end(body);
    switch (kind) {
      case "refuse": return from.socket.destroy();
      case "503": return plain(503, "busy", { "Retry-After": "1" });
      case "429": return plain(429, '{"title":"Too Many Requests","status":429}', { "Retry-After": "2" });
      case "500": return plain(500);
      case "html": return plain(200, "<!doctype html><title>Welcome to the hotel</title>", { "Content-Type": "text/html" });
      case "401": return plain(401, '{"title":"Unauthorized","status":401}');
      case "304": return plain(304);
      case "empty": return plain(200);
      case "hang": return undefined;
      case "repeat": if (this.#old.length) return plain(200, this.#old[Math.floor(this.random() * this.#old.length)]);
    }
    if (kind === "delay") await new Promise((resolve) => setTimeout(resolve, (this.random() * 5000) / this.speed));
    const { hostname, port } = this.target;
    const up = request({ hostname, port, path: from.url, method: from.method, headers: from.headers }, (reply) => {
      const parts = [];
      reply.on("data", (part) => parts.push(part));
      reply.on("error", () => to.destroy());
      reply.on("end", () => {
        const body = Buffer.concat(parts);
        this.#old = [...this.#old.slice(-20), body];
        to.writeHead(reply.statusCode, { ...reply.headers, "content-length": body.length });
        if (kind === "cut") to.write(body.subarray(0, body.length / 2), () => to.destroy());
        else if (kind === "half") to.write(body.subarray(0, body.length / 2), () => to.socket?.end());
        else to.end(body);
      });
    });
    up.on("error", () => to.destroy());
    to.on("close", () => up.destroy());
    from.pipe(up);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [target, port, seed, rate] = process.argv.slice(2);
  const proxy = new HostileProxy(target, { random: seeded(Number(seed ?? 1)), rate: Number(rate ?? 40) });
  console.log(`http://127.0.0.1:${await proxy.listen(Number(port ?? 0))}`);
}
