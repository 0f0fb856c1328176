"""The same without packages: every page of a listing, one after the other, flattened, to csv."""

import csv
import gzip
import json
import sys
import urllib.request


def flatten(record, prefix, row):
    for key, value in record.items():
        if isinstance(value, dict):
            flatten(value, f"{prefix}{key}.", row)
        else:
            row[prefix + key] = json.dumps(value) if isinstance(value, list) else value
    return row


url, pages = sys.argv[1], int(sys.argv[2])
writer = None
for page in range(pages):
    request = urllib.request.Request(f"{url}{page}", headers={"Accept-Encoding": "gzip"})
    body = gzip.decompress(urllib.request.urlopen(request).read())
    for record in json.loads(body)["pageResults"]:
        row = flatten(record, "", {})
        if writer is None:
            writer = csv.DictWriter(sys.stdout, list(row))
            writer.writeheader()
        writer.writerow(row)
