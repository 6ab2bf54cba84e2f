"""The official Python client of MCP: mcp_client.py COMMAND [ARGUMENT...]

Starts a server, makes, reads and deletes an object, and says yes to every question. Prints what it
was told as a line of JSON.
"""

import asyncio
import json
import os
import sys

import mcp.types as types
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

BUCKET = {"bucket_name": "bucket"}
CALLS = [
    ("create_bucket", BUCKET),
    ("put_object", {**BUCKET, "object_key": "k", "content": "hello"}),
    ("get_object", {**BUCKET, "object_key": "k"}),
    ("delete_objects", {**BUCKET, "keys": ["k"]}),
    ("get_object", {**BUCKET, "object_key": "k"}),
    ("delete_bucket", BUCKET),
]


async def main(command, *args):
    questions = []

    async def answer(_context, params):
        questions.append(params.message)
        return types.ElicitResult(action="accept", content={"confirm": True})

    server = StdioServerParameters(command=command, args=list(args), env=dict(os.environ))
    async with stdio_client(server) as streams:
        async with ClientSession(*streams, elicitation_callback=answer) as session:
            await session.initialize()
            tools = [tool.name for tool in (await session.list_tools()).tools]
            results = [await session.call_tool(name, args) for name, args in CALLS]
    texts = [result.content[0].text for result in results]
    print(json.dumps({"tools": tools, "texts": texts, "questions": questions}))


asyncio.run(main(*sys.argv[1:]))
