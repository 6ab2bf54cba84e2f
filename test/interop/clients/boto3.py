"""boto3's side of the interoperability tests: boto3.py ENDPOINT OPERATION [ARGUMENT...]

Prints the result of the operation as JSON.
"""
import json
import os
import sys

# This file's own directory would shadow the package.
sys.path.pop(0)
import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import ClientError, MissingDependencyException

# By default, boto3 presigns with Signature Version 2, which S3 accepts only for old buckets.
s3 = boto3.client("s3", endpoint_url=sys.argv[1], config=Config(signature_version="s3v4"))
SMALL_PARTS = TransferConfig(multipart_threshold=5 << 20, multipart_chunksize=5 << 20)


def keys(bucket):
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket)
    return [one["Key"] for page in pages for one in page.get("Contents", [])]


def put_tree(directory, bucket):
    for place, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(place, name)
            s3.upload_file(path, bucket, os.path.relpath(path, directory))


def get_tree(bucket, directory):
    for key in keys(bucket):
        path = os.path.join(directory, key)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        s3.download_file(bucket, key, path)


def versions(bucket, key):
    pages = s3.get_paginator("list_object_versions").paginate(Bucket=bucket, Prefix=key)
    return [one["VersionId"] for page in pages for one in page.get("Versions", [])]


def remove_tree(bucket):
    found = keys(bucket)
    for start in range(0, len(found), 1000):
        batch = [{"Key": key} for key in found[start : start + 1000]]
        answer = s3.delete_objects(Bucket=bucket, Delete={"Objects": batch})
        assert "Errors" not in answer, answer
        assert len(answer["Deleted"]) == len(batch), answer


def exact(bucket, encoded, not_xml):
    """Puts, heads, lists, gets and deletes any keys; DeleteObjects cannot carry all of them."""
    wanted = json.loads(encoded) + json.loads(not_xml)
    for key in wanted:
        s3.put_object(Bucket=bucket, Key=key, Body=key.encode())
    listed = keys(bucket)
    for key in wanted:
        assert s3.head_object(Bucket=bucket, Key=key)["ContentLength"] == len(key.encode())
        body = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
        assert body == key.encode(), (key, body)
    for key in json.loads(not_xml):
        s3.delete_object(Bucket=bucket, Key=key)
    remove_tree(bucket)
    return [listed, keys(bucket)]


def checksums(bucket):
    """Each algorithm this boto3 can compute, on one request and on parts."""
    done = []
    for algorithm in ["CRC32", "SHA1", "SHA256", "CRC32C", "CRC64NVME"]:
        try:
            s3.put_object(Bucket=bucket, Key=algorithm, Body=b"x" * 70000, ChecksumAlgorithm=algorithm)
        except MissingDependencyException:
            continue
        head = s3.head_object(Bucket=bucket, Key=algorithm, ChecksumMode="ENABLED")
        assert head["Checksum" + algorithm], head
        s3.get_object(Bucket=bucket, Key=algorithm, ChecksumMode="ENABLED")["Body"].read()
        made = s3.create_multipart_upload(Bucket=bucket, Key="m", ChecksumAlgorithm=algorithm)
        parts = []
        for number, body in [(1, b"a" * (5 << 20)), (2, b"b")]:
            part = s3.upload_part(
                Bucket=bucket, Key="m", UploadId=made["UploadId"], PartNumber=number, Body=body,
                ChecksumAlgorithm=algorithm,
            )
            name = "Checksum" + algorithm
            parts.append({"PartNumber": number, "ETag": part["ETag"], name: part[name]})
        end = s3.complete_multipart_upload(
            Bucket=bucket, Key="m", UploadId=made["UploadId"], MultipartUpload={"Parts": parts}
        )
        assert end["Checksum" + algorithm], end
        attributes = s3.get_object_attributes(
            Bucket=bucket, Key="m", ObjectAttributes=["ObjectSize", "ObjectParts", "Checksum", "ETag"]
        )
        assert attributes["ObjectSize"] == (5 << 20) + 1, attributes
        assert attributes["ObjectParts"]["TotalPartsCount"] == 2, attributes
        done.append(algorithm)
    return done


def refused(code, call, **arguments):
    try:
        call(**arguments)
    except ClientError as error:
        assert error.response["Error"]["Code"] == code, (code, error.response)
        return
    raise AssertionError(f"{code} expected")


def conditions(bucket):
    """Conditional requests, ranges, tags, metadata and S3's own refusals."""
    etag = s3.put_object(
        Bucket=bucket, Key="k", Body=b"0123456789", Metadata={"name": "value"},
        CacheControl="no-store", ContentType="text/x", StorageClass="STANDARD_IA", Tagging="a=1&b=2",
    )["ETag"]
    at = {"Bucket": bucket, "Key": "k"}
    refused("PreconditionFailed", s3.put_object, **at, Body=b"", IfNoneMatch="*")
    refused("PreconditionFailed", s3.put_object, **at, Body=b"", IfMatch='"0"')
    refused("PreconditionFailed", s3.get_object, **at, IfMatch='"0"')
    refused("304", s3.get_object, **at, IfNoneMatch=etag)
    refused("InvalidRange", s3.get_object, **at, Range="bytes=10-")
    refused("NoSuchKey", s3.get_object, Bucket=bucket, Key="none")
    refused("404", s3.head_object, Bucket=bucket, Key="none")
    refused("NoSuchBucket", s3.list_objects_v2, Bucket="none-such-bucket")
    refused("BucketNotEmpty", s3.delete_bucket, Bucket=bucket)
    refused("NoSuchUpload", s3.list_parts, **at, UploadId="none")
    part = s3.get_object(**at, Range="bytes=-3")
    assert part["Body"].read() == b"789" and part["ContentRange"] == "bytes 7-9/10", part
    head = s3.head_object(**at)
    assert head["Metadata"] == {"name": "value"} and head["CacheControl"] == "no-store", head
    assert head["ContentType"] == "text/x" and head["StorageClass"] == "STANDARD_IA", head
    tags = s3.get_object_tagging(**at)["TagSet"]
    assert tags == [{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}], tags
    s3.copy_object(
        Bucket=bucket, Key="copy", CopySource=at, MetadataDirective="REPLACE", Metadata={"new": "1"}
    )
    assert s3.head_object(Bucket=bucket, Key="copy")["Metadata"] == {"new": "1"}
    url = s3.generate_presigned_url("put_object", Params={"Bucket": bucket, "Key": "by-url"})
    remove_tree(bucket)
    return url


OPERATIONS = {
    "buckets": lambda: [one["Name"] for one in s3.list_buckets()["Buckets"]],
    "make-bucket": lambda bucket: s3.create_bucket(Bucket=bucket) and None,
    "remove-bucket": lambda bucket: s3.delete_bucket(Bucket=bucket) and None,
    "put": lambda file, bucket, key: s3.upload_file(file, bucket, key, Config=SMALL_PARTS),
    "get": lambda bucket, key, file: s3.download_file(bucket, key, file, Config=SMALL_PARTS),
    "put-tree": put_tree,
    "get-tree": get_tree,
    "keys": keys,
    "copy": lambda bucket, source, to: s3.copy({"Bucket": bucket, "Key": source}, bucket, to),
    "presign": lambda bucket, key: s3.generate_presigned_url(
        "get_object", Params={"Bucket": bucket, "Key": key}
    ),
    "enable-versioning": lambda bucket: s3.put_bucket_versioning(
        Bucket=bucket, VersioningConfiguration={"Status": "Enabled"}
    )
    and None,
    "versions": versions,
    "get-version": lambda bucket, key, version, file: s3.download_file(
        bucket, key, file, ExtraArgs={"VersionId": version}
    ),
    "remove-tree": remove_tree,
    "exact": exact,
    "checksums": checksums,
    "conditions": conditions,
}

print(json.dumps(OPERATIONS[sys.argv[2]](*sys.argv[3:])))
