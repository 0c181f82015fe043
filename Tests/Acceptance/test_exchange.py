"""The commands import questionnaires from FHIR, REDCap and XLSForm, and export them."""

import csv
import io
import json
import subprocess
import zipfile

import openpyxl
import pytest
from fhir.resources.R4B.questionnaire import Questionnaire

from acceptance.server import BINARIES

PHQ_LIKE = {
    "resourceType": "Questionnaire", "id": "two-moods", "name": "TwoMoods", "title": "Two moods", "status": "draft",
    "url": "https://example.org/two-moods", "version": "1.3", "copyright": "Nobody's",
    "item": [
        {"linkId": "/1", "type": "choice", "text": "Bright?", "required": True, "code": [{"system": "urn:x", "code": "1"}],
         "answerOption": [
             {"valueCoding": {"system": "urn:a", "code": "A-0", "display": "Never", "extension": [
                 {"url": "http://hl7.org/fhir/StructureDefinition/ordinalValue", "valueDecimal": 0}]}},
             {"valueCoding": {"system": "urn:a", "code": "A-1", "display": "Often", "extension": [
                 {"url": "http://hl7.org/fhir/StructureDefinition/ordinalValue", "valueDecimal": 1}]}}]},
        {"linkId": "/2", "type": "integer", "text": "How long?", "enableWhen": [
            {"question": "/1", "operator": "=", "answerCoding": {"system": "urn:a", "code": "A-1"}}],
         "extension": [{"url": "https://example.org/unknown", "valueString": "x"}]},
    ],
}

DICTIONARY = (
    "Variable / Field Name,Form Name,Field Type,Field Label,\"Choices, Calculations, OR Slider Labels\","
    "Branching Logic (Show field only if...)\n"
    "mood,evening,radio,Mood?,\"1, low | 2, high\",\n"
    "why,evening,notes,Why?,,[mood] = '1'\n")


def saunter(*arguments, status=0):
    done = subprocess.run(
        [BINARIES / "saunter", *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    assert done.returncode == status, f"{arguments} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def workbook(path):
    book = openpyxl.Workbook()
    survey = book.active
    survey.title = "survey"
    for row in [
        ["type", "name", "label::English (en)", "label::Deutsch (de)", "relevant", "constraint"],
        ["integer", "age", "How old?", "Wie alt?", None, ". > 0"],
        ["select_one yn", "walks", "Do you walk?", "Gehst du?", "${age} >= 18", None],
        ["geopoint", "place", "Where?", "Wo?", None, None],
        ["geotrace", "path", "Which way?", "Auf welchem Weg?", None, None],
    ]:
        survey.append(row)
    choices = book.create_sheet("choices")
    for row in [
        ["list_name", "name", "label::English (en)", "label::Deutsch (de)"], ["yn", "yes", "Yes", "Ja"],
        ["yn", "no", "No", "Nein"],
    ]:
        choices.append(row)
    book.save(path)


def test_an_imported_fhir_questionnaire_passes_the_check_and_is_exported_unchanged(tmp_path):
    (tmp_path / "q.json").write_text(json.dumps(PHQ_LIKE))
    output = saunter("import", "--from", "fhir", tmp_path / "q.json", "--out", tmp_path / "packs")
    assert "/item/1/extension: https://example.org/unknown is kept without effect" in output
    folder = tmp_path / "packs/instruments/twomoods/1.3.0"
    assert "no faults" in saunter("check", folder)
    back = json.loads(saunter("convert", "--to", "fhir", folder))
    assert back == PHQ_LIKE
    Questionnaire.model_validate(back)
    saunter("import", "--from", "fhir", tmp_path / "q.json", "--out", tmp_path / "packs", status=1)


def test_branching_logic_compares_quantities_only_in_the_unit_of_the_field(tmp_path):
    """A REDCap field has one unit, the first unit of the item: 98.6 [degF] is not 98.6 Cel."""
    units = [{"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unitOption",
              "valueCoding": {"system": "http://unitsofmeasure.org", "code": code}} for code in ("Cel", "[degF]")]

    def shown(name, value, unit):
        return {"linkId": name, "type": "string", "text": "Why?", "enableWhen": [{
            "question": "heat", "operator": ">",
            "answerQuantity": {"value": value, "system": "http://unitsofmeasure.org", "code": unit, "unit": unit}}]}

    (tmp_path / "q.json").write_text(json.dumps({
        "resourceType": "Questionnaire", "status": "draft", "name": "Heat", "version": "1.0.0", "item": [
            {"linkId": "heat", "type": "quantity", "text": "How hot?", "extension": units},
            shown("warm", 38.5, "Cel"), shown("hot", 98.6, "[degF]")]}))
    saunter("import", "--from", "fhir", tmp_path / "q.json", "--out", tmp_path / "packs")
    done = subprocess.run(
        [BINARIES / "saunter", "convert", "--to", "redcap", tmp_path / "packs/instruments/heat/1.0.0"], capture_output=True, text=True, timeout=60)
    logic = {row["Variable / Field Name"]: row["Branching Logic (Show field only if...)"] for row in csv.DictReader(io.StringIO(done.stdout))}
    assert logic == {"heat": "", "warm": "[heat] > '38.5'", "hot": ""}
    assert "heat/hot: left out: enableWhen" in done.stderr


def test_fhir_quantities_are_converted_to_the_unit_of_the_item(tmp_path):
    def quantity(name, unit, bound, condition):
        return [
            {"linkId": name, "type": "quantity", "text": "How much?", "extension": [
                {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unitOption",
                 "valueCoding": {"system": "http://unitsofmeasure.org", **unit}},
                {"url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-maxQuantity", "valueQuantity": bound}]},
            {"linkId": f"{name}-why", "type": "string", "text": "Why?", "enableWhen": [
                {"question": name, "operator": ">", "answerQuantity": condition}]}]

    given = {
        "resourceType": "Questionnaire", "status": "draft", "name": "Amounts", "version": "1.0.0", "item": [
            *quantity("pulse", {"code": "/min"}, {"value": 250, "code": "1/min"}, {"value": 100, "code": "{beats}/min"}),
            *quantity("heat", {"code": "Cel", "display": "degC"}, {"value": 113, "code": "[degF]"}, {"value": 38.5, "unit": "degC"}),
            *quantity("walk", {"code": "h"}, {"value": 1440, "code": "min"}, {"value": 20, "code": "min"})]}
    (tmp_path / "q.json").write_text(json.dumps(given))
    output = saunter("import", "--from", "fhir", tmp_path / "q.json", "--out", tmp_path / "packs")
    folder = tmp_path / "packs/instruments/amounts/1.0.0"
    assert "no faults" in saunter("check", folder)
    assert json.loads(saunter("convert", "--to", "fhir", folder)) == given
    written = (folder / "questionnaire.yaml").read_text()
    assert [line.split(": ")[1] for line in written.splitlines() if "maxValue:" in line] == ["250", "45", "24"]
    assert '"unit": "/min"' in written and '"unit": "Cel"' in written
    # A third of an hour has no finite decimal notation.
    assert "/item/5/enableWhen/0: walk_why is always shown: 20 min (answerQuantity) is not an answer to walk" in output


def test_a_choice_whose_options_are_not_in_the_file_is_refused_unless_free_text_is_allowed(tmp_path):
    (tmp_path / "q.json").write_text(json.dumps({
        "resourceType": "Questionnaire", "status": "draft", "name": "Phq", "item": [
            {"linkId": "a", "type": "choice", "text": "How often?", "answerValueSet": "http://loinc.org/vs/LL358-3"}]}))
    command = ["import", "--from", "fhir", tmp_path / "q.json"]
    assert "refused: /item/0: the options of the item are not in the file (http://loinc.org/vs/LL358-3)" in saunter(*command, status=1)
    assert "it is imported as a text question" in saunter(*command, "--allow-free-text")


def test_tables_that_cannot_be_read_completely_are_rejected_with_the_position(tmp_path):
    (tmp_path / "letters.csv").write_bytes("type,name,label\ntext,a,Müde?\n".encode("latin-1"))
    (tmp_path / "quote.csv").write_text('type,name,label\ntext,a,"A?\ntext,b,B?\n')
    for file, reason in [
        ("letters.csv", "line 2: the text is not UTF-8"), ("quote.csv", "line 2: a quoted field is not closed"),
    ]:
        assert reason in saunter("import", "--from", "xlsform", tmp_path / file, status=1)


def test_a_formula_without_a_stored_result_is_read_as_blank_with_a_remark(tmp_path):
    """Programs write such workbooks. In many forms the version is such a formula."""
    book = openpyxl.Workbook()
    book.active.title = "survey"
    for row in [["type", "name", "label"], ["text", "a", "A?"]]:
        book.active.append(row)
    settings = book.create_sheet("settings")
    for row in [["form_title", "version"], ["A form", '=TEXT(NOW(), "yyyymmdd")']]:
        settings.append(row)
    book.save(tmp_path / "form.xlsx")
    output = saunter("import", "--from", "xlsform", tmp_path / "form.xlsx", "--out", tmp_path)
    assert "settings!B2: read as blank, because it is a formula without a stored result" in output
    assert "no faults" in saunter("check", tmp_path / "instruments/form/1.0.0")


def test_bundled_instruments_are_exported_as_valid_fhir_questionnaires(tmp_path):
    for name in ["who_5/1.0.0", "pss_10/1.0.0", "psqi/1.0.0"]:
        folder = BINARIES.parent.parent / "Questionnaires/instruments" / name
        if folder.exists():
            Questionnaire.model_validate(json.loads(saunter("convert", "--to", "fhir", folder)))


def test_a_redcap_dictionary_survives_export_and_import(tmp_path):
    (tmp_path / "d.csv").write_text(DICTIONARY)
    saunter("import", "--from", "redcap", tmp_path / "d.csv", "--out", tmp_path / "packs")
    folder = tmp_path / "packs/instruments/evening/1.0.0"
    saunter("check", folder)
    rows = list(csv.DictReader(io.StringIO(saunter("convert", "--to", "redcap", folder))))
    wanted = list(csv.DictReader(io.StringIO(DICTIONARY)))
    assert [{key: row[key] for key in wanted[0]} for row in rows] == wanted


def test_a_workbook_becomes_an_instrument_in_two_languages(tmp_path):
    workbook(tmp_path / "form.xlsx")
    output = json.loads(saunter("import", "--from", "xlsform", tmp_path / "form.xlsx", "--out", tmp_path, "--json"))
    assert output["imported"] == 1
    assert "survey!A5" in [remark["place"] for remark in output["questionnaires"][0]["remarks"]]
    folder = tmp_path / "instruments/form/1.0.0"
    assert "no faults" in saunter("check", folder)
    assert "Wie alt?" in (folder / "text.de.yaml").read_text()
    assert "type: location" in (folder / "questionnaire.yaml").read_text()


def test_broken_workbooks_are_rejected_without_a_crash(tmp_path):
    workbook(tmp_path / "form.xlsx")
    whole = (tmp_path / "form.xlsx").read_bytes()
    files = []
    for offset in range(0, len(whole), len(whole) // 60):
        for kind, data in [("cut", whole[:offset]), ("flip", whole[:offset] + bytes([whole[offset] ^ 0x55]) + whole[offset + 1:])]:
            files.append(tmp_path / f"{kind}{offset}.xlsx")
            files[-1].write_bytes(data)
    done = subprocess.run(
        [BINARIES / "saunter", "import", "--from", "xlsform", "--json", *files], capture_output=True, text=True, timeout=300)
    assert done.returncode == 1, done.stderr
    output = json.loads(done.stdout)
    assert output["imported"] + output["refused"] == output["files"] == len(files)


@pytest.mark.parametrize("kind", ["zip", "entities"])
def test_files_that_expand_without_limit_are_rejected(tmp_path, kind):
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        if kind == "zip":
            book.writestr("xl/workbook.xml", b" " * (200 << 20))
        else:
            levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
            book.writestr(
                "xl/workbook.xml", f'<?xml version="1.0"?><!DOCTYPE w [<!ENTITY e0 "x">{levels}]><workbook>&e11;</workbook>')
    output = saunter("import", "--from", "xlsform", path, status=1)
    assert ("decompressed file is larger" if kind == "zip" else "declares types or entities") in output
