import { equal } from "node:assert/strict";
import { bracketed, hostName, isLoopback, reachableHost } from "./hosts.ts";

const LOOPBACK: Readonly<Record<string, boolean>> = {
  "127.0.0.1": true,
  "127.1.2.3": true,
  "127.255.255.254": true,
  "localhost": true,
  "::1": true,
  "[::1]": true,
  "127.0.0.1.x": false,
  "127.0.0.1.example.com": false,
  "127.0.0.1:80": false,
  "127.0.0": false,
  "127.0.0.": false,
  "127.0.0.1234": false,
  "127.0.0.1\n": false,
  "x127.0.0.1": false,
  "1127.0.0.1": false,
  "127a0b0c1": false,
  "localhost.example.com": false,
  "LOCALHOST": false, // Asks for a key too much rather than one too few.
  "::": false,
  "::12": false,
  "0.0.0.0": false,
  "10.127.0.1": false,
  "": false,
};

Deno.test("isLoopback() is true of this machine's own addresses only", () => {
  for (const [host, isOwn] of Object.entries(LOOPBACK)) {
    equal(isLoopback(host), isOwn, JSON.stringify(host));
  }
});

Deno.test("bracketed() puts brackets around IPv6 addresses, and around nothing else", () => {
  const cases: Readonly<Record<string, string>> = {
    "::1": "[::1]",
    "fe80::1:2": "[fe80::1:2]",
    "[::1]": "[::1]",
    "[::1]:80": "[::1]:80",
    "127.0.0.1": "127.0.0.1",
    "example.com:80": "example.com:80",
    "": "",
  };
  for (const [host, text] of Object.entries(cases)) {
    equal(bracketed(host), text, host);
  }
});

Deno.test("hostName() is the host as the Host header has it", () => {
  const cases: Readonly<Record<string, string>> = {
    "Example.COM": "example.com",
    "example.com:8080": "example.com",
    "https://Example.com/x": "example.com",
    "::1": "[::1]",
    "[::1]:7668": "[::1]",
    "127.0.0.1": "127.0.0.1",
    "*": "*",
    "a b": "a b", // No host: matches none.
  };
  for (const [text, host] of Object.entries(cases)) {
    equal(hostName(text), host, text);
  }
});

Deno.test("who listens on all addresses is reached on loopback, all others where they listen", () => {
  const table: Readonly<Record<string, string>> = {
    "0.0.0.0": "127.0.0.1",
    "0": "127.0.0.1",
    "0x0": "127.0.0.1",
    "::": "::1",
    "[::]": "::1",
    "0:0:0:0:0:0:0:0": "::1",
    "::ffff:0.0.0.0": "127.0.0.1",
    "127.0.0.1": "127.0.0.1",
    "10.0.0.0": "10.0.0.0",
    "::1": "::1",
    "host.example": "host.example",
  };
  for (const [host, reached] of Object.entries(table)) {
    equal(reachableHost(host), reached, host);
  }
});
