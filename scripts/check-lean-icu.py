#!/usr/bin/env python3
"""check-lean-icu.py BINARY OTHER: whether both write numbers, money, dates and plurals alike in all locales that ICU has, and sort alike.
OTHER is a binary with all of ICU's data, such as the debug build; BINARY one that was linked with packaging/lean-icu.py's."""
import json
import os
import subprocess
import sys
import tempfile

LANGUAGES = """af agq ak am ar as asa ast az az_Cyrl bal bas be bem bez bg bho blo bm bn bo br brx bs bs_Cyrl ca ccp ce ceb cgg chr ckb cs csw cv cy
da dav de dje doi dsb dua dyo dz ebu ee el en eo es et eu ewo fa ff ff_Adlm fi fil fo fr fur fy ga gd gl gsw gu guz gv ha haw he hi hi_Latn hr
hsb hu hy ia id ie ig ii is it ja jgo jmc jv ka kab kam kde kea kgp khq ki kk kk_Arab kkj kl kln km kn ko kok ks ks_Deva ksb ksf ksh ku kw kxv ky
lag lb lg lij lkt lmo ln lo lrc lt lu luo luy lv mai mas mer mfe mg mgh mgo mi mk ml mn mni mr ms mt mua my mzn naq nb nd nds ne nl nmg nn nnh nqo
nus nyn oc om or os pa pa_Arab pcm pl prg ps pt pt_PT qu raj rm rn ro rof ru rw rwk sa sah saq sat sbp sc sd sd_Deva se seh ses sg shi shi_Latn
shn si sk sl smn sn so sq sr sr_Latn su sv sw syr szl ta te teo tg th ti tk to tok tr tt twq tzm ug uk ur uz uz_Arab uz_Cyrl vai vai_Latn vec vi
vmw vun wae wo xh xnr xog yav yi yo yrl yue yue_Hans za zgh zh zh_Hant zu en_GB en_IN de_AT de_CH es_MX es_US fr_CA fr_CH it_CH pt_AO
ar_EG ar_SA fa_AF zh_HK zh_Hant_HK nl_BE sv_FI ko_KP th_TH ja_JP he_IL hi_IN bn_IN ur_IN ne_IN""".replace("_", "-").split()
SORTED = "de de-u-co-phonebk sv da es fr-CA cs hu lt tr vi zh zh-Hant ja ko th ar he hi ru el en".split()
PATTERN = "EEEE d. MMMM y G QQQQ HH:mm:ss zzzz VVVV vvvv O w a B"
WORDS = """äpfel Apfel apfel zebra Zürich zoo öl ol ñandu nube llama lama chleba cukr hodina ížek ç c ş s ı i İ 東京 大阪 京都 北京 上海 广州 가나 다라 마바
ไทย กรุงเทพ เชียงใหม่ שלום אבא مرحبا أحمد Ελλάδα άλφα Москва ёлка ежик हिन्दी अनार 10 9 2 _ - æ ø å aa œ ß ss""".split()

NUMBERS = ["0", "1", "-2.5", "1234567.891", "0.005", "1000000000000"]
COUNTS = ["0", "1", "2", "3", "5", "11", "21", "100", "1000000", "1.5"]
CURRENCIES = ["EUR", "USD", "JPY", "INR", "CHF", "KWD", "BTC"]
DATES = ["2024-02-29T23:05:09Z", "1999-12-31", "2024-07-01T00:00:00Z"]
FORMATS = ["short", "medium", "long", "long date", "short time", PATTERN]
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"]


def configuration():
    texts = {}
    for index, number in enumerate(NUMBERS):
        texts[f"number{index}"] = f"${{({number}) | number(null, id)}} ${{({number}) | number(2, id)}}"
        for code in CURRENCIES:
            texts[f"{code.lower()}{index}"] = f"${{({number}) | currency('{code}', id)}}"
    for index, count in enumerate(COUNTS):
        texts[f"plural{index}"] = f"${{{count} | plural('one', 'other', 'few', 'many', id)}}"
    for day, date in enumerate(DATES):
        for form, text in enumerate(FORMATS):
            for place, zone in enumerate(ZONES):
                texts[f"date{day}{form}{place}"] = f"${{'{date}' | date('{text}', '{zone}', id) ?? 'null'}}"
    tables = {"texts": {"source": "list", "row": {"id": "${id}", "type": "texts"}}}
    for index, locale in enumerate(SORTED):
        for natural in (False, True):
            sort = {"by": "id", "locale": locale, "natural": natural}
            tables[f"sorted{index}{natural}"] = {"source": "list", "row": {"id": "${id}", "type": "word"}, "sections": [{"id": "all", "sort": sort}]}
    return {
        "sources": {"list": {"url": "http://127.0.0.1:9/list"}},
        "cells": {"Texts": {"fields": {key: "string" for key in texts}}, "Word": {"fields": {"word": "string"}}},
        "representations": {
            "texts": {"cell": "Texts", "payload": texts},
            "word": {"cell": "Word", "payload": {"word": "${id}"}},
        },
        "tables": tables,
    }


def rendered(binary, folder, table, items):
    response = os.path.join(folder, "items.json")
    with open(response, "w") as file:
        json.dump([{"id": item} for item in items], file)
    command = [binary, "render", "--config", os.path.join(folder, "locales.yaml"), "--table", table, "--response", response, "--json"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)}: {run.stderr or run.stdout}")
    return json.loads(run.stdout)


def rows(shown):
    return [row["payload"] for section in shown["sections"] for row in section["rows"]]


def main():
    lean, whole = (os.path.abspath(path) for path in sys.argv[1:3])
    differences = texts = 0
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "locales.yaml"), "w") as file:
            json.dump(configuration(), file)
        # A few at once: the expressions of one fetch have a time limit.
        parts = [LANGUAGES[start : start + 8] for start in range(0, len(LANGUAGES), 8)]
        a, b = ([row for part in parts for row in rows(rendered(binary, folder, "texts", part))] for binary in (lean, whole))
        if len(a) != len(LANGUAGES) or len(b) != len(LANGUAGES):
            sys.exit(f"{len(a)} and {len(b)} rows for {len(LANGUAGES)} locales")
        for locale, mine, other in zip(LANGUAGES, a, b):
            for key, text in other.items():
                texts += 1
                if mine.get(key) != text:
                    differences += 1
                    print(f"{locale} {key}: {mine.get(key)!r}, with all data {text!r}")
        for index, locale in enumerate(SORTED):
            for natural in (False, True):
                mine, other = (rows(rendered(binary, folder, f"sorted{index}{natural}", WORDS)) for binary in (lean, whole))
                texts += 1
                if mine != other:
                    differences += 1
                    print(f"sorted in {locale}: {mine}, with all data {other}")
    print(f"{texts} texts and orders in {len(LANGUAGES)} locales, {differences} differences")
    sys.exit(1 if differences else 0)


main()
