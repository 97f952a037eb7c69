// Command smtpcatcher runs a mail server that keeps what it gets in memory and
// shows it as JSON at http://<http>/mails. Each mail is printed as a line too.
package main

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/nightbell/nightbell/api/e2e/smtpcatcher"
)

func main() {
	smtp := flag.String("smtp", "127.0.0.1:2525", "where to take mail")
	web := flag.String("http", "127.0.0.1:2580", "where to show it")
	flag.Parse()
	if err := run(*smtp, *web); err != nil {
		fmt.Fprintln(os.Stderr, "smtpcatcher:", err)
		os.Exit(1)
	}
}

func run(smtp, web string) error {
	catcher, err := smtpcatcher.Start(smtpcatcher.Options{Address: smtp})
	if err != nil {
		return err
	}
	defer func() { _ = catcher.Close() }()
	server := &http.Server{Addr: web, Handler: catcher, ReadHeaderTimeout: 5 * time.Second}
	stopped := make(chan error, 1)
	go func() { stopped <- server.ListenAndServe() }()
	go printMails(catcher)
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	select {
	case err := <-stopped:
		return err
	case <-interrupted:
		return server.Close()
	}
}

func printMails(catcher *smtpcatcher.Catcher) {
	for printed := 0; ; {
		mails, _ := catcher.Await(printed+1, time.Minute)
		for _, mail := range mails[min(printed, len(mails)):] {
			fmt.Printf("%s to %s: %s\n", mail.ReceivedAt.Format(time.RFC3339Nano), strings.Join(mail.Recipients, ", "), mail.Subject())
		}
		printed = len(mails)
	}
}
