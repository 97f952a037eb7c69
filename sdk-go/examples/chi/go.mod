module github.com/nightbell/nightbell/sdk-go/examples/chi

go 1.25.0

require (
	github.com/go-chi/chi/v5 v5.5.0
	github.com/nightbell/nightbell/sdk-go v0.1.0
)
