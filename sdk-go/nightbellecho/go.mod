module github.com/nightbell/nightbell/sdk-go/nightbellecho

go 1.25.0

require (
	github.com/labstack/echo/v5 v5.4.4
	github.com/nightbell/nightbell/sdk-go v0.1.0
)

require golang.org/x/time v0.15.0 // indirect
