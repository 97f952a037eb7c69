// Package e2e holds whole stories over the real binary: a stock Alertmanager, a mail
// server, receivers of webhooks and a browser around a Nightbell that is started, used
// and stopped as an operator would. Nothing in it reaches into the server, with two
// exceptions: the database's clock is moved, so that no story waits for a deadline, and
// colleagues are added by SQL.
//
//	make e2e-alertmanager
//
// The stories have the build tag e2e, because they need Chromium and Alertmanager
// (make deps), and NIGHTBELL_BIN, the binary to try. Screenshots and the log of every
// program are left in out/ for looking at.
//
// The files sdk_*_test.go start the same binary for programs that use the client libraries
// (make test-sdk-server); they need Node.js and Python in place of the browser.
//
// Entry file: alertmanager_test.go.
package e2e
