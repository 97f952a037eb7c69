package app

import (
	"context"
	"time"

	"github.com/nightbell/nightbell/api/internal/news"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

const (
	// newsInterval is how late subscribers of an incident may be told of it.
	newsInterval = 10 * time.Second
	// newsRounds bounds what is done at one time.
	newsRounds = 20
)

func (s *server) buildNews(context.Context) error {
	mail, err := s.mailChannel(postgres.Background)
	if err != nil {
		return err
	}
	s.news = news.New(s.db, news.Options{Mail: mail, VerifyMail: s.hasMailServer(), PublicURL: s.PublicURL})
	return nil
}

// tellNews mails subscribers what happened to incidents.
func (s *server) tellNews(ctx context.Context) {
	for again, rounds := true, 0; again && rounds < newsRounds && ctx.Err() == nil; rounds++ {
		var err error
		if again, err = s.news.Tell(ctx); err != nil {
			if ctx.Err() == nil {
				s.logger.WarnContext(ctx, "subscribers of incidents could not be mailed; it is tried again in five minutes", "error", err)
			}
			return
		}
	}
}
