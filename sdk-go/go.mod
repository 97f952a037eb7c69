module github.com/nightbell/nightbell/sdk-go

go 1.26.0
