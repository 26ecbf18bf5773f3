// The messages of the mock's programs: one entry for each kind of message. A long but simple table.
import type { Severity } from "../src/api/row.ts";
import type { Random } from "./random.ts";

export interface Saying {
  program: string;
  facility: string;
  severity: Severity;
    /** Frequency, relative to the others. */
  weight: number;
  hosts: string[];
  text(random: Random): string;
  values?(random: Random): Record<string, string>;
  msgid?: string;
}

const GATEWAYS = ["gw1", "gw2"];
const WEB = ["web-01", "web-02", "web-03"];
const DATA = ["db-primary", "db-replica"];
const MAIL = ["mx1"];
const NODES = ["kube-a", "kube-b", "kube-c"];
const EVERY = [...GATEWAYS, ...WEB, ...DATA, ...MAIL, ...NODES];
const USERS = ["alice", "bruno", "chen", "deploy", "backup", "root", "postgres", "oncall"];
const STRANGERS = ["admin", "test", "oracle", "ubnt", "guest", "pi", "ftpuser"];
const PATHS = ["/", "/login", "/api/orders", "/api/orders/77120", "/api/cart", "/static/app.css", "/health", "/api/search?q=oak+table", "/images/grain.webp"];
const UNITS = ["nginx.service", "postgresql@15-main.service", "certbot.timer", "logrotate.service", "kubelet.service", "apt-daily.service"];

const inside = (r: Random): string => `10.20.${r.whole(0, 7)}.${r.whole(2, 250)}`;
const outside = (r: Random): string => `${r.pick([185, 45, 91, 203, 198])}.${r.whole(1, 250)}.${r.whole(1, 250)}.${r.whole(1, 250)}`;
const port = (r: Random): number => r.whole(1024, 65_500);

export const SAYINGS: Saying[] = [
  { program: "nginx", facility: "local7", severity: "info", weight: 300, hosts: WEB,
    text: (r) => `${inside(r)} - - "${r.pick(["GET", "GET", "GET", "POST"])} ${r.pick(PATHS)} HTTP/2.0" ${r.pick([200, 200, 200, 200, 304, 301, 404])} ${r.whole(180, 48_000)} "-" "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/142.0" rt=0.${String(r.whole(1, 480)).padStart(3, "0")}`,
    values: (r) => ({ "http.status": String(r.pick([200, 200, 200, 304, 404])), "http.bytes": String(r.whole(180, 48_000)) }) },
  { program: "nginx", facility: "local7", severity: "err", weight: 14, hosts: WEB,
    text: (r) => `${r.whole(900, 4000)}#${r.whole(900, 4000)}: *${r.whole(100_000, 900_000)} upstream timed out (110: Connection timed out) while reading response header from upstream, client: ${inside(r)}, server: shop.example.net, request: "POST /api/orders HTTP/2.0", upstream: "http://10.20.4.${r.whole(10, 14)}:8080/api/orders"`,
    values: () => ({ "http.status": "504" }) },
  { program: "sshd", facility: "auth", severity: "info", weight: 60, hosts: EVERY,
    text: (r) => `Accepted publickey for ${r.pick(USERS)} from ${inside(r)} port ${port(r)} ssh2: ED25519 SHA256:${r.hex(12)}Qk${r.hex(10)}` },
  { program: "sshd", facility: "auth", severity: "warning", weight: 90, hosts: GATEWAYS,
    text: (r) => `Failed password for invalid user ${r.pick(STRANGERS)} from ${outside(r)} port ${port(r)} ssh2`,
    values: (r) => ({ srcip: outside(r) }) },
  { program: "sshd", facility: "auth", severity: "info", weight: 40, hosts: GATEWAYS,
    text: (r) => `Connection closed by authenticating user root ${outside(r)} port ${port(r)} [preauth]` },
  { program: "sshd", facility: "auth", severity: "err", weight: 8, hosts: GATEWAYS,
    text: (r) => `error: maximum authentication attempts exceeded for invalid user ${r.pick(STRANGERS)} from ${outside(r)} port ${port(r)} ssh2 [preauth]` },
  { program: "kernel", facility: "kern", severity: "notice", weight: 110, hosts: GATEWAYS,
    text: (r) => `[${r.whole(80_000, 990_000)}.${r.whole(100_000, 999_999)}] fw DROP IN=wan0 OUT= SRC=${outside(r)} DST=192.0.2.${r.whole(1, 30)} LEN=${r.whole(40, 60)} TOS=0x00 PREC=0x00 TTL=${r.whole(40, 120)} ID=${r.whole(1, 65_000)} PROTO=TCP SPT=${port(r)} DPT=${r.pick([22, 23, 445, 3389, 8080])} WINDOW=1024 RES=0x00 SYN URGP=0`,
    values: (r) => ({ srcip: outside(r), dport: String(r.pick([22, 23, 445, 3389, 8080])), proto: "TCP" }) },
  { program: "kernel", facility: "kern", severity: "crit", weight: 2, hosts: NODES,
    text: (r) => `[${r.whole(80_000, 990_000)}.${r.whole(100_000, 999_999)}] Out of memory: Killed process ${r.whole(2000, 30_000)} (java) total-vm:${r.whole(4_000_000, 9_000_000)}kB, anon-rss:${r.whole(2_000_000, 4_000_000)}kB, file-rss:0kB, shmem-rss:0kB, UID:1000 pgtables:9128kB oom_score_adj:936` },
  { program: "systemd", facility: "daemon", severity: "info", weight: 70, hosts: EVERY,
    text: (r) => `${r.pick(["Started", "Finished", "Starting", "Reloaded"])} ${r.pick(UNITS)}.` },
  { program: "systemd", facility: "daemon", severity: "err", weight: 4, hosts: NODES,
    text: (r) => `${r.pick(UNITS)}: Failed with result 'exit-code'.` },
  { program: "CRON", facility: "cron", severity: "info", weight: 45, hosts: EVERY,
    text: (r) => `(${r.pick(["root", "www-data", "backup"])}) CMD (${r.pick(["/usr/local/bin/rotate-keys", "test -x /usr/sbin/anacron || run-parts /etc/cron.hourly", "php /srv/shop/cron.php"])})` },
  { program: "sudo", facility: "authpriv", severity: "notice", weight: 18, hosts: EVERY,
    text: (r) => `${r.pick(USERS).padStart(8)} : TTY=pts/${r.whole(0, 5)} ; PWD=/home/${r.pick(USERS)} ; USER=root ; COMMAND=/usr/bin/${r.pick(["systemctl restart nginx", "tail -n 50 /var/log/auth.log", "apt-get upgrade", "journalctl -u kubelet"])}` },
  { program: "postfix/smtpd", facility: "mail", severity: "info", weight: 60, hosts: MAIL,
    text: (r) => `connect from unknown[${outside(r)}]` },
  { program: "postfix/smtp", facility: "mail", severity: "info", weight: 40, hosts: MAIL,
    text: (r) => `${r.hex(10).toUpperCase()}: to=<${r.pick(USERS)}@example.org>, relay=mail.example.org[203.0.113.${r.whole(2, 30)}]:25, delay=${r.whole(0, 9)}.${r.whole(0, 9)}, delays=0.1/0/0.4/0.9, dsn=2.0.0, status=sent (250 2.0.0 Ok: queued as ${r.hex(10).toUpperCase()})` },
  { program: "postfix/smtp", facility: "mail", severity: "warning", weight: 9, hosts: MAIL,
    text: (r) => `${r.hex(10).toUpperCase()}: to=<${r.pick(STRANGERS)}@example.invalid>, relay=none, delay=${r.whole(30, 900)}, dsn=4.4.3, status=deferred (Host or domain name not found. Name service error for name=example.invalid type=MX: Host not found, try again)` },
  { program: "postgres", facility: "local0", severity: "info", weight: 55, hosts: DATA,
    text: (r) => `LOG:  checkpoint complete: wrote ${r.whole(20, 9000)} buffers (${r.whole(0, 30)}.${r.whole(0, 9)}%); 0 WAL file(s) added, ${r.whole(0, 3)} removed, ${r.whole(0, 9)} recycled; write=${r.whole(1, 200)}.${r.whole(100, 999)} s, sync=0.0${r.whole(10, 99)} s, total=${r.whole(1, 200)}.${r.whole(100, 999)} s` },
  { program: "postgres", facility: "local0", severity: "warning", weight: 12, hosts: ["db-primary"],
    text: (r) => `LOG:  duration: ${r.whole(1000, 9000)}.${r.whole(100, 999)} ms  statement: SELECT o.id, o.placed_at, c.name, sum(l.quantity * l.price) AS total FROM orders o JOIN customers c ON c.id = o.customer_id JOIN order_lines l ON l.order_id = o.id WHERE o.placed_at > now() - interval '30 days' AND o.state IN ('paid', 'packed', 'sent') GROUP BY o.id, o.placed_at, c.name ORDER BY total DESC LIMIT 200` },
  { program: "postgres", facility: "local0", severity: "err", weight: 6, hosts: ["db-primary"],
    text: (r) => `ERROR:  deadlock detected DETAIL:  Process ${r.whole(2000, 30_000)} waits for ShareLock on transaction ${r.whole(1_000_000, 9_000_000)}; blocked by process ${r.whole(2000, 30_000)}.` },
  { program: "kubelet", facility: "daemon", severity: "info", weight: 90, hosts: NODES,
    text: (r) => `I1121 ${r.whole(10, 23)}:${r.whole(10, 59)}:${r.whole(10, 59)}.${r.whole(100_000, 999_999)} ${r.whole(1000, 9000)} kubelet.go:2461] "SyncLoop (PLEG): event for pod" pod="shop/checkout-${r.hex(9)}-${r.hex(5)}" event={"ID":"${r.hex(8)}-${r.hex(4)}-${r.hex(4)}","Type":"ContainerStarted"}`,
    values: () => ({ "k8s.namespace": "shop" }) },
  { program: "kubelet", facility: "daemon", severity: "err", weight: 7, hosts: NODES,
    text: (r) => `E1121 ${r.whole(10, 23)}:${r.whole(10, 59)}:${r.whole(10, 59)}.${r.whole(100_000, 999_999)} ${r.whole(1000, 9000)} pod_workers.go:1301] "Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"checkout\\" with CrashLoopBackOff: back-off 5m0s restarting failed container" pod="shop/checkout-${r.hex(9)}-${r.hex(5)}"`,
    values: () => ({ "k8s.namespace": "shop" }) },
  { program: "shop", facility: "local3", severity: "info", weight: 120, hosts: NODES, msgid: "ORDER",
    text: (r) => `order ${r.whole(70_000, 79_999)} paid by ${r.pick(["card", "card", "invoice", "transfer"])}: ${r.whole(9, 900)}.${r.whole(10, 99)} EUR, ${r.whole(1, 9)} items`,
    values: (r) => ({ ".SDATA.order@32473.state": r.pick(["paid", "packed", "sent"]), ".SDATA.order@32473.items": String(r.whole(1, 9)), ".SDATA.meta.sequenceId": String(r.whole(1, 90_000)) }) },
  { program: "shop", facility: "local3", severity: "warning", weight: 16, hosts: NODES, msgid: "PAYMENT",
    text: (r) => `payment provider answered after ${r.whole(2, 9)}.${r.whole(1, 9)} s, retrying (attempt ${r.whole(2, 4)} of 5)`,
    values: (r) => ({ ".SDATA.order@32473.state": "waiting", ".SDATA.meta.sequenceId": String(r.whole(1, 90_000)) }) },
  { program: "shop", facility: "local3", severity: "debug", weight: 40, hosts: NODES, msgid: "CACHE",
    text: (r) => `cache ${r.pick(["hit", "hit", "miss"])} key=product:${r.whole(100, 900)}:price ttl=${r.whole(1, 300)}s`,
    values: (r) => ({ ".SDATA.meta.sequenceId": String(r.whole(1, 90_000)) }) },
  { program: "shop", facility: "local3", severity: "err", weight: 2, hosts: NODES, msgid: "CRASH",
    text: (r) => `unhandled exception in worker ${r.whole(1, 8)}: java.lang.IllegalStateException: stock of product ${r.whole(100, 900)} is negative\n` +
      Array.from({ length: 40 }, (_, i) => `    at net.example.shop.${r.pick(["stock.Ledger", "order.Basket", "web.Router", "pay.Provider"])}.${r.pick(["apply", "commit", "handle", "settle"])}(${r.pick(["Ledger", "Basket", "Router", "Provider"])}.java:${r.whole(20, 900)})${i === 12 ? "\n    ... 3 common frames omitted" : ""}`).join("\n") },
  { program: "haproxy", facility: "local1", severity: "alert", weight: 1, hosts: GATEWAYS,
    text: (r) => `backend shop_api has no server available! (${r.whole(0, 3)} active, 0 backup)` },
  { program: "dhcpd", facility: "daemon", severity: "info", weight: 35, hosts: ["gw2"],
    text: (r) => `DHCPACK on ${inside(r)} to ${r.hex(2)}:${r.hex(2)}:${r.hex(2)}:${r.hex(2)}:${r.hex(2)}:${r.hex(2)} (${r.pick(["laptop", "phone", "printer", "scanner"])}-${r.whole(1, 99)}) via lan0` },
  { program: "smartd", facility: "daemon", severity: "emerg", weight: 0.3, hosts: DATA,
    text: () => `Device: /dev/nvme1n1, SMART critical warning: spare below threshold, data at risk <b>not markup</b>` },
];
