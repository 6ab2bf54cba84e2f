"""The same work by obstore, a library in Rust without a client around it: a floor for clients.

python3 bench/rust-library.py ENDPOINT KEY SECRET VERB FROM TO; places are bucket/key.
"""
import asyncio
import os
import sys
from pathlib import Path

import obstore
from obstore.store import S3Store

AT_ONCE = 64
endpoint, key, secret, verb, source, target = sys.argv[1:7]


def store(place):
    bucket, _, name = place.partition("/")
    options = {"allow_http": True}
    trust = os.environ.get("AWS_CA_BUNDLE")
    if trust:
        options["allow_invalid_certificates"] = True
    return S3Store(
        bucket,
        endpoint=endpoint,
        access_key_id=key,
        secret_access_key=secret,
        region="us-east-1",
        virtual_hosted_style_request=False,
        client_options=options,
    ), name


async def many(names, work):
    room = asyncio.Semaphore(AT_ONCE)

    async def one(name):
        async with room:
            await work(name)

    await asyncio.gather(*(one(name) for name in names))


async def save(bucket, name, path):
    with open(path, "wb") as file:
        answer = await obstore.get_async(bucket, name)
        async for chunk in answer.stream(min_chunk_size=1024 * 1024):
            file.write(chunk)


async def up_all():
    bucket, prefix = store(target)
    names = [os.path.relpath(os.path.join(d, f), source) for d, _, fs in os.walk(source) for f in fs]

    async def send(name):
        await obstore.put_async(bucket, f"{prefix}/{name}", Path(source) / name)

    await many(names, send)


async def down_all():
    bucket, prefix = store(source)
    names = []
    async for page in obstore.list(bucket, prefix=prefix + "/"):
        names += [entry["path"] for entry in page]

    async def fetch(name):
        path = os.path.join(target, name[len(prefix) + 1 :])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        await save(bucket, name, path)

    await many(names, fetch)


if verb == "up":
    bucket, name = store(target)
    obstore.put(bucket, name, Path(source))
elif verb == "down":
    asyncio.run(save(*store(source), target))
elif verb == "up-all":
    asyncio.run(up_all())
elif verb == "down-all":
    asyncio.run(down_all())

# Its threads may still run when the interpreter ends, which then sometimes dies of a signal.
os._exit(0)
