"""What a script with requests and pandas does: every page of a listing, one after the other, to csv."""

import sys

import pandas
import requests

url, pages = sys.argv[1], int(sys.argv[2])
session = requests.Session()
records = []
for page in range(pages):
    records += session.get(f"{url}{page}").json()["pageResults"]
pandas.json_normalize(records).to_csv(sys.stdout, index=False)
