// Serves with NestJS on port 3000 and reports what goes wrong.
import 'reflect-metadata';
import { Controller, Get, Headers, Module, Param } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Nightbell } from '@nightbell/node';
import { nightbell } from '@nightbell/node/nestjs';

const client = new Nightbell();

@Controller('orders')
class Orders {
  @Get(':id')
  async order(@Param('id') id: string, @Headers('x-user') user: string) {
    client.setUser({ id: user });
    return load(id); // what it throws is reported
  }
}

@Module({ controllers: [Orders] })
class App {}

// #region middleware
const app = await NestFactory.create(App);
app.useGlobalInterceptors(nightbell(client));
// #endregion
await app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');

async function load(id: string) {
  throw new Error(`order ${id}: the database is away`);
}
