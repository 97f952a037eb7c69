module github.com/nightbell/nightbell/sdk-go

go 1.25.0
