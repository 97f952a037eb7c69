// Command nightbell is the server and what an operator needs beside it. It holds no
// logic: each command is a call into internal/app.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/nightbell/nightbell/api/internal/app"
)

// version is set by the build.
var version = "dev"

type commands struct {
	Serve        serveCommand        `cmd:"" help:"Run Nightbell."`
	Migrate      migrateCommand      `cmd:"" help:"Bring the database's schema up to date, or look at it."`
	Backup       backupCommand       `cmd:"" help:"Write everything that is stored into one file, while Nightbell runs."`
	Restore      restoreCommand      `cmd:"" help:"Fill an empty database with a backup. It pages nobody until you confirm it."`
	Restored     restoredCommand     `cmd:"" help:"What to do after a database was restored."`
	Demo         demoCommand         `cmd:"" help:"The demo workspace."`
	Explain      explainCommand      `cmd:"" help:"Ask a running Nightbell who would be paged, and why. Nobody is."`
	Enquiries    enquiriesCommand    `cmd:"" help:"What visitors of the landing page asked, and who wants news."`
	PasswordLink passwordLinkCommand `cmd:"" help:"Print a link by which an account gets a new password. Stop the server first when it runs on its private PostgreSQL."`
	Doctor       doctorCommand       `cmd:"" help:"Say what is configured, what is missing, and what that costs."`
	Healthcheck  healthcheckCommand  `cmd:"" help:"Exit with 0 when a running Nightbell is ready."`
	Version      versionCommand      `cmd:"" help:"Print the version."`
}

type serveCommand struct {
	app.Config
	Demo bool `help:"Fill one organization with the demo workspace at the first start."`
}

func (c serveCommand) Run(ctx context.Context) error {
	return app.Serve(ctx, c.Config, app.Options{Version: version, Demo: c.Demo, Out: os.Stdout})
}

type migrateCommand struct {
	Up     migrateUpCommand     `cmd:"" help:"Apply what is missing."`
	Status migrateStatusCommand `cmd:"" help:"List what was applied when."`
}

type migrateUpCommand struct{ app.Config }

func (c migrateUpCommand) Run(ctx context.Context) error {
	return app.MigrateUp(ctx, c.Config, app.Options{Version: version, Out: os.Stdout})
}

type migrateStatusCommand struct{ app.Config }

func (c migrateStatusCommand) Run(ctx context.Context) error {
	return app.MigrateStatus(ctx, c.Config, app.Options{Version: version, Out: os.Stdout})
}

type backupCommand struct {
	app.Config
	File string `arg:"" help:"The file to make, or - for standard output."`
}

func (c backupCommand) Run(ctx context.Context) error {
	return app.Backup(ctx, c.Config, app.Options{Version: version, Out: os.Stdout}, c.File)
}

type restoreCommand struct {
	app.Config
	Check bool   `help:"Only say whether the file is whole, and what it is."`
	File  string `arg:"" help:"A file that nightbell backup made."`
}

func (c restoreCommand) Run(ctx context.Context) error {
	options := app.Options{Version: version, Out: os.Stdout}
	if !c.Check {
		return app.Restore(ctx, c.Config, options, c.File)
	}
	archive, err := app.CheckBackup(options, c.File)
	if err != nil {
		return err
	}
	return archive.Close()
}

type restoredCommand struct {
	Confirm restoredConfirmCommand `cmd:"" help:"Let a restored copy page: it replaces what it was copied from. Stop the server first when it runs on its private PostgreSQL."`
	NewKey  restoredNewKeyCommand  `cmd:"" help:"Go on with the data key there is, or a new one, because the one that sealed the stored secrets is lost."`
}

type restoredConfirmCommand struct{ app.Config }

func (c restoredConfirmCommand) Run(ctx context.Context) error {
	return app.ConfirmRestored(ctx, c.Config, app.Options{Version: version, Out: os.Stdout})
}

type restoredNewKeyCommand struct{ app.Config }

func (c restoredNewKeyCommand) Run(ctx context.Context) error {
	return app.AcceptNewKey(ctx, c.Config, app.Options{Version: version, Out: os.Stdout})
}

type demoCommand struct {
	Reset demoResetCommand `cmd:"" help:"Make the demo workspace again, as at its first start. Stop the server first when it runs on its private PostgreSQL."`
}

type demoResetCommand struct{ app.Config }

func (c demoResetCommand) Run(ctx context.Context) error {
	return app.ResetDemo(ctx, c.Config, app.Options{Version: version, Out: os.Stdout})
}

type enquiriesCommand struct {
	List   enquiriesListCommand   `cmd:"" help:"Print them all as CSV. Stop the server first when it runs on its private PostgreSQL."`
	Delete enquiriesDeleteCommand `cmd:"" help:"Forget everything that came from an e-mail address. Stop the server first when it runs on its private PostgreSQL."`
}

type enquiriesListCommand struct{ app.Config }

func (c enquiriesListCommand) Run(ctx context.Context) error {
	return app.ExportEnquiries(ctx, c.Config, app.Options{Version: version, Out: os.Stdout})
}

type enquiriesDeleteCommand struct {
	app.Config
	Email string `arg:"" help:"The address."`
}

func (c enquiriesDeleteCommand) Run(ctx context.Context) error {
	return app.DeleteEnquiries(ctx, c.Config, app.Options{Version: version, Out: os.Stdout}, c.Email)
}

type passwordLinkCommand struct {
	app.Config
	Email string `arg:"" help:"The address that the account signs in with."`
}

func (c passwordLinkCommand) Run(ctx context.Context) error {
	return app.PasswordLink(ctx, c.Config, app.Options{Version: version, Out: os.Stdout}, c.Email)
}

type explainCommand struct{ app.ExplainOptions }

func (c explainCommand) Run(ctx context.Context) error {
	return app.Explain(ctx, c.ExplainOptions, os.Stdout)
}

type doctorCommand struct{ app.Config }

func (c doctorCommand) Run(ctx context.Context) error { return app.Doctor(ctx, c.Config, os.Stdout) }

type healthcheckCommand struct{ app.Config }

func (c healthcheckCommand) Run(ctx context.Context) error { return app.Healthcheck(ctx, c.Config) }

type versionCommand struct{}

func (versionCommand) Run() error {
	_, err := fmt.Println("nightbell", version)
	return err
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var cli commands
	parser := kong.Must(&cli, kong.Name("nightbell"), kong.UsageOnError(),
		kong.Description("Nightbell wakes the right person at night: open-source incident response and on-call."),
		kong.BindTo(ctx, (*context.Context)(nil)))
	parser.FatalIfErrorf(app.EmptyDatabase(os.Args[1:]))
	parsed, err := parser.Parse(os.Args[1:])
	if err != nil {
		if wrong := app.WrongEnvironment(os.LookupEnv); wrong != nil {
			parser.Fatalf("%s", wrong) // without the help, which would push it off the screen
		}
		parser.FatalIfErrorf(err)
	}
	parsed.FatalIfErrorf(parsed.Run())
}
