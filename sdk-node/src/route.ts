import type { Agent as HttpAgent } from 'node:http';
import type { AgentOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { builtin } from './builtin.js';
import { type Environment, isLoopback, type Settings } from './config.js';
import { ConfigError } from './errors.js';

/** The way to the server. It can be sent to a worker. */
export interface Route {
  secure: boolean;
  /** The URL of an HTTP proxy, with its user and password if it has some. */
  proxy?: string | undefined;
  /** All certificate authorities that are trusted; those of Node if absent. */
  ca?: string[] | undefined;
}

/** Reads HTTPS_PROXY or HTTP_PROXY, NO_PROXY, and the file of certificate authorities. */
export function routeOf(settings: Pick<Settings, 'baseUrl' | 'caFile'>, env: Environment): Route {
  const url = new URL(settings.baseUrl);
  const secure = url.protocol === 'https:';
  const route: Route = { secure };
  const named = (name: string): string | undefined => env[name] || env[name.toUpperCase()] || undefined;
  // A request of a CGI program may set HTTP_PROXY by its header Proxy.
  const plain = env.REQUEST_METHOD ? env.http_proxy : named('http_proxy');
  const proxy = secure ? named('https_proxy') : plain;
  if (proxy && !isLoopback(url.hostname) && !isExcepted(url, named('no_proxy')))
    route.proxy = proxy.includes('://') ? proxy : `http://${proxy}`;
  if (settings.caFile) route.ca = [...builtin('tls').rootCertificates, certificates(settings.caFile)];
  return route;
}

/** NO_PROXY holds names with all that is under them, addresses and networks; a port narrows it, and * is everything. */
function isExcepted({ hostname, port, protocol }: URL, list = ''): boolean {
  const own = port || (protocol === 'https:' ? '443' : '80');
  const host = hostname.replace(/^\[|\]$/g, '');
  return list.split(/[\s,]+/).some((entry) => {
    const text = entry.toLowerCase();
    if (text === '*' || !text) return text === '*';
    if (isWithin(host, text)) return true;
    const [, name = '', narrowed] = /^(.*?)(?::(\d+))?$/.exec(text) ?? [];
    if (narrowed && narrowed !== own) return false;
    const under = name.replace(/^\*/, '');
    return host === name || host.endsWith(under[0] === '.' ? under : `.${under}`) || isWithin(host, name);
  });
}

/** Whether a host is this address, or an address of this network. */
function isWithin(host: string, network: string): boolean {
  const { BlockList, isIP } = builtin('net');
  const [, address = '', bits] = /^\[?(.*?)\]?(?:\/(\d+))?$/.exec(network) ?? [];
  const family = isIP(address);
  const most = family === 4 ? 32 : 128;
  if (!family || isIP(host) !== family || Number(bits ?? 0) > most) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const block = new BlockList();
  block.addSubnet(address, Number(bits ?? most), type);
  return block.check(host, type);
}

function certificates(file: string): string {
  let text: string;
  try {
    text = builtin('fs').readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError('caFile', 'bad_format', `caFile cannot be read: ${(error as Error).message}.`);
  }
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new ConfigError('caFile', 'bad_format', `caFile ${file} holds no certificate in PEM form.`);
}

/**
 * Keeps connections along a route. What asks the proxy keeps the process alive only if it is
 * held. This runs in a worker too, from its text: it can use nothing of this file.
 */
export function agentOf(route: Route, options: AgentOptions, held: boolean): HttpAgent {
  const http = process.getBuiltinModule('node:http');
  const https = process.getBuiltinModule('node:https');
  const tls = process.getBuiltinModule('node:tls');
  const trusted = route.ca ? { ...options, ca: route.ca } : options;
  const agent = route.secure ? new https.Agent(trusted) : new http.Agent(options);
  if (!route.proxy) return agent;
  const proxy = new URL(route.proxy);
  const headers: Record<string, string> = {};
  if (proxy.username) {
    const user = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
    headers['proxy-authorization'] = `Basic ${Buffer.from(user).toString('base64')}`;
  }
  type Target = { host: string; port: number; servername?: string };
  type Done = (error: Error | null, socket?: Duplex) => void;
  const connect = (target: Target, done: Done): void => {
    const call = (proxy.protocol === 'https:' ? https : http).request({
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: `${target.host}:${target.port}`,
      headers: { host: `${target.host}:${target.port}`, ...headers },
      ca: route.ca,
      agent: false,
    });
    if (!held) call.on('socket', (socket) => socket.unref());
    call.on('error', (error) => done(error));
    call.on('connect', (response, socket) => {
      if (response.statusCode !== 200) {
        socket.destroy();
        done(new Error(`the proxy answered ${response.statusCode}`));
      } else if (route.secure) {
        const { servername = target.host } = target;
        done(null, tls.connect({ ...trusted, servername, socket }));
      } else done(null, socket);
    });
    call.end();
  };
  return Object.assign(agent, { createConnection: connect });
}
