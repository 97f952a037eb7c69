/**
 * This package will let a Node service send its own alerts and changes to Nightbell.
 *
 * Nothing is exported yet: it holds the name and its checks. Until the client is here, send
 * alerts with any Alertmanager, or post JSON to the webhook URL that every service shows.
 */
export {};
