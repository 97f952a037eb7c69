package app

import (
	"context"
	"runtime/debug"
	"sync"
	"time"

	"github.com/nightbell/nightbell/api/internal/platform/sweep"
	"github.com/nightbell/nightbell/api/internal/watch"
)

// loop is something that runs by itself until its context ends.
type loop struct {
	name string
	run  func(context.Context)
}

// pageSweep is a part of the page path that runs when it is woken, and every second.
type pageSweep struct {
	name  string
	waker *sweep.Waker
	once  func(context.Context) (again bool, err error)
}

// pageSweeps lists what pages people. None of it runs on a restored copy.
func (s *server) pageSweeps() []pageSweep {
	list := []pageSweep{
		{"escalations", s.escalations, s.unlessCopy(s.escalator.Sweep)},
		// Timers have no waker: a look every second is soon enough for them.
		{"timers", sweep.NewWaker(), s.unlessCopy(s.timerSweeper.Sweep)},
		{"heartbeats", sweep.NewWaker(), s.unlessCopy(s.heartbeats.Sweep)},
	}
	for kind, outbox := range s.outboxes {
		list = append(list, pageSweep{"outbox " + string(kind), s.wakers[kind], s.unlessCopy(outbox.Sweep)})
	}
	return list
}

// claimingLoops lists what may claim pages: the page path, and the watch, which does what that forgot.
func (s *server) claimingLoops() []loop {
	list := []loop{{"watch", func(ctx context.Context) { s.every(ctx, watch.Interval, s.unlessCopied(s.watch.Round)) }}}
	for _, part := range s.pageSweeps() {
		list = append(list, loop{part.name, func(ctx context.Context) { sweep.Loop(ctx, s.logger, part.name, part.waker, part.once) }})
	}
	return list
}

// loops lists everything else that runs by itself.
func (s *server) loops() []loop {
	list := []loop{
		{"intake", s.intake.Run},
		{"live feed across replicas", s.listenAcrossReplicas},
		{"database", s.followPrimary},
		{"storage", func(ctx context.Context) { s.every(ctx, storageInterval, s.countStorage) }},
		{"senders", func(ctx context.Context) { sweep.Loop(ctx, s.logger, "senders", sweep.NewWaker(), s.senders.Flush) }},
		{"installation", func(ctx context.Context) { s.every(ctx, installationInterval, s.watchInstallation) }},
		{"hand-overs", func(ctx context.Context) { s.every(ctx, handoverInterval, s.unlessCopied(s.tellHandovers)) }},
		{"verification mails", func(ctx context.Context) { s.sendLinks(ctx, "verification mails", verificationInterval, s.verifier) }},
		{"invitation mails", func(ctx context.Context) { s.sendLinks(ctx, "invitation mails", invitationInterval, s.inviter) }},
		{"mails for forgotten passwords", func(ctx context.Context) {
			s.sendLinks(ctx, "mails for forgotten passwords", resetInterval, s.forgotten)
		}},
		{"mails of disabled webhooks", func(ctx context.Context) { s.every(ctx, disabledMailInterval, s.unlessCopied(s.mailDisabled)) }},
		{"news of incidents", func(ctx context.Context) { s.every(ctx, newsInterval, s.unlessCopied(s.tellNews)) }},
		{"housekeeping", func(ctx context.Context) { s.every(ctx, watch.HousekeepingInterval, s.watch.Housekeep) }},
	}
	list = append(list, loop{"webhooks", func(ctx context.Context) {
		sweep.Loop(ctx, s.logger, "webhooks", s.webhooks, s.unlessCopy(s.publisher.Sweep))
	}})
	list = append(list, loop{"test pages", func(ctx context.Context) {
		sweep.Loop(ctx, s.logger, "test pages", s.wakeTests, s.unlessCopy(s.tests.Sweep))
	}})
	return list
}

// startLoops starts every loop. On stop they end before the database does; alerts
// that were accepted until then are stored by the intake, whose requests are waited
// for first.
func (s *server) startLoops() {
	ctx, cancel := context.WithCancel(context.Background())
	var claiming, others sync.WaitGroup
	for _, l := range s.claimingLoops() {
		claiming.Go(func() { l.run(ctx) })
	}
	for _, l := range s.loops() {
		others.Go(func() { l.run(ctx) })
	}
	s.onStop(func(stopping context.Context) error {
		cancel()
		swept, done := make(chan struct{}), make(chan struct{})
		go func() { claiming.Wait(); close(swept) }()
		for _, outbox := range s.outboxes { // whose leases no loop renews any more
			outbox.Drain(stopping, swept)
		}
		go func() { <-swept; others.Wait(); close(done) }()
		select {
		case <-done:
			return nil
		case <-stopping.Done():
			return stopping.Err()
		}
	})
}

// links sends mails with one kind of link (linkmail.Sender).
type links interface {
	Send(ctx context.Context) error
	Ended() <-chan struct{}
	Wait()
}

// sendLinks begins to send what is due at once, every interval and whenever mails have ended, until ctx
// ends, and waits for those under way.
func (s *server) sendLinks(ctx context.Context, name string, interval time.Duration, mails links) {
	defer mails.Wait()
	send := s.unlessCopied(func(ctx context.Context) {
		if err := mails.Send(ctx); err != nil && ctx.Err() == nil {
			s.logger.WarnContext(ctx, "mails with links could not be sent; it is tried again in a moment", "mails", name, "error", err)
		}
	})
	for ctx.Err() == nil {
		s.guarded(ctx, send)
		select {
		case <-ctx.Done():
		case <-mails.Ended():
		case <-time.After(sweep.UntilNext(interval)):
		}
	}
}

// every calls do at once and then whenever the clock shows a multiple of interval, until ctx
// ends. A panic ends one call, not the process.
func (s *server) every(ctx context.Context, interval time.Duration, do func(context.Context)) {
	for {
		s.guarded(ctx, do)
		select {
		case <-ctx.Done():
			return
		case <-time.After(sweep.UntilNext(interval)):
		}
	}
}

func (s *server) guarded(ctx context.Context, do func(context.Context)) {
	defer func() {
		if cause := recover(); cause != nil {
			s.logger.ErrorContext(ctx, "a periodic job panicked", "panic", cause, "stack", string(debug.Stack()))
		}
	}()
	do(ctx)
}
