package app

import "net/http"

func (s *server) acknowledgePages() http.Handler { return http.NotFoundHandler() }
