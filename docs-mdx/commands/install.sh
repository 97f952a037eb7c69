# What the program of each framework needs besides the client.

#region express
npm install express
#endregion

#region next
npm install next react react-dom
#endregion

#region koa
npm install koa
#endregion

#region fastify
npm install fastify
#endregion

#region nestjs
npm install @nestjs/common @nestjs/core @nestjs/platform-express reflect-metadata rxjs
#endregion

#region django
.venv/bin/pip install django waitress
#endregion

#region flask
.venv/bin/pip install flask waitress
#endregion

#region fastapi
.venv/bin/pip install fastapi uvicorn
#endregion

#region tornado
.venv/bin/pip install tornado
#endregion

#region pyramid
.venv/bin/pip install pyramid waitress
#endregion

#region gin
go mod edit -require=github.com/nightbell/nightbell/sdk-go/nightbellgin@v0.0.0 -replace=github.com/nightbell/nightbell/sdk-go/nightbellgin=../nightbell/sdk-go/nightbellgin
go mod tidy
#endregion

#region echo
go mod edit -require=github.com/nightbell/nightbell/sdk-go/nightbellecho@v0.0.0 -replace=github.com/nightbell/nightbell/sdk-go/nightbellecho=../nightbell/sdk-go/nightbellecho
go mod tidy
#endregion

#region fiber
go mod edit -require=github.com/nightbell/nightbell/sdk-go/nightbellfiber@v0.0.0 -replace=github.com/nightbell/nightbell/sdk-go/nightbellfiber=../nightbell/sdk-go/nightbellfiber
go mod tidy
#endregion

#region chi
go mod tidy
#endregion

#region net-http
go mod tidy
#endregion
