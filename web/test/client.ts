// A program that asks a server with the client generated from its OpenAPI document; ./api is that generated file.
// client.mjs compiles it and runs it with the server's address.
import createClient from "openapi-fetch";
import type { paths } from "./api.js";

type Tune = NonNullable<paths["/api/v1/tune"]["get"]["parameters"]["query"]>;

const asked: Tune = { model: "zoo:lenet5", device: "nano", "max-power": 8 };
// @ts-expect-error: no such parameter
const unknown: Tune = { ...asked, "max-powr": 8 };
// @ts-expect-error: power is a number
const untyped: Tune = { ...asked, "max-power": "much" };

export async function ask(baseUrl: string) {
  const client = createClient<paths>({ baseUrl });
  const tune = (query: Tune) => client.GET("/api/v1/tune", { params: { query } });
  const begun = (await client.POST("/api/v1/windows", { body: { name: "epoch 1" } })).data as { number: number } | undefined;
  const path = { number: begun?.number ?? -1 };
  const refused = await Promise.all([unknown, untyped].map(tune));
  return {
    health: (await client.GET("/healthz")).data,
    tuned: (await tune(asked)).data,
    ended: (await client.POST("/api/v1/windows/{number}/end", { params: { path } })).data,
    refused: refused.map(({ response, error }) => ({ status: response.status, error })),
  };
}
