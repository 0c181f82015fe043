import Testing

@testable import SaunterPacks

@Suite struct BrokenInstrumentTests {
    private static let folder = "instruments/daily_evening/1.0.0/"

    @Test(arguments: shape + values + words + scoring)
    func `a broken file is reported with its line and the fault`(breakage: Breakage) throws {
        let files = try RealPacks.instrument("daily_evening")
            .replacing(breakage.passage, with: breakage.other, in: Self.folder + breakage.file)

        let found = breakage.found(in: Self.folder) { () throws(PackFaults) in
            _ = try InstrumentPack.check(files, code: "daily_evening", version: "1.0.0")
        }

        #expect(found == breakage.faults)
    }

    private static let shape = [
        Breakage(
            "questionnaire.yaml", "minutes: 2", "minuts: 2",
            "questionnaire.yaml:5: \"minuts\" is not a key of questionnaire.yaml; did you mean \"minutes\"?"),
        Breakage(
            "questionnaire.yaml", "maxLength: 2000", "text: Note?",
            "questionnaire.yaml:34: \"text\" is not a key of an item"),
        Breakage(
            "questionnaire.yaml", "minutes: 2", "minutes: 2\nminutes: 3",
            "questionnaire.yaml:5: \"minutes\": given more than once in one mapping"),
        Breakage(
            "questionnaire.yaml", "code: daily_evening", "code: &x daily_evening",
            "questionnaire.yaml:2: anchors are not used in packs; put a space after \"&\" or write \"and\""),
        Breakage(
            "questionnaire.yaml", "minutes: 2", "minutes: !!float 2",
            "questionnaire.yaml:5: tags (words that begin with \"!\") are not used in packs"),
        Breakage(
            "questionnaire.yaml", "minutes: 2", "minutes: [2",
            "questionnaire.yaml:6: while parsing a flow sequence of line 5: did not find expected ',' or ']'"),
        Breakage(
            "questionnaire.yaml", "version: 1.0.0\n", "", "questionnaire.yaml:2: \"version\" is missing"),
        Breakage(
            "questionnaire.yaml", "version: 1.0.0", "version: 1.0.1",
            "questionnaire.yaml:3: the version is \"1.0.1\", but the name of the folder is \"1.0.0\""),
        Breakage(
            "questionnaire.yaml", "[de, en]", "[de, de]",
            "questionnaire.yaml:4: \"languages\" must contain at least one language, without duplicates"),
        Breakage("questionnaire.yaml", "[de, en]", "[de, en, fr]", "text.fr.yaml:1: the file is missing"),
        Breakage(
            "questionnaire.yaml", "[de, en]", "[de]", "text.en.yaml:1: this file is not part of an instrument"
        ),
    ]

    private static let values = [
        Breakage(
            "questionnaire.yaml", "minutes: 2", "minutes: two",
            "questionnaire.yaml:5: expected a number, found a text"),
        Breakage(
            "questionnaire.yaml", "24h", "a day",
            "questionnaire.yaml:8: expected a duration such as 2d, 5h or 30m, or always, found \"a day\""),
        Breakage(
            "questionnaire.yaml", "linkId: mood, type: choice", "linkId: mood, type: choise",
            "questionnaire.yaml:12: expected one of group, display, boolean, integer, decimal, string, text, date, "
                + "dateTime, time, choice, open-choice, quantity, ranking, location, "
                + "found \"choise\"; did you mean \"choice\"?"
        ),
        Breakage(
            "questionnaire.yaml", "required: true", "required: yes",
            "questionnaire.yaml:12: expected true or false, found a text"),
        Breakage(
            "questionnaire.yaml", "minValue: 0", "minValue: .inf",
            "questionnaire.yaml:33: expected a number, found a text"),
        Breakage(
            "questionnaire.yaml", "maxLength: 2000", "maxLength: 99999999999999999999",
            "questionnaire.yaml:34: expected a whole number, found a number that is too large"),
        Breakage(
            "questionnaire.yaml", "{set: low_to_high}", "{set: low_to_hi}",
            "questionnaire.yaml:12: there is no option set \"low_to_hi\"; did you mean \"low_to_high\"?"),
        Breakage(
            "questionnaire.yaml", "answer: 4", "answer: [4]",
            "questionnaire.yaml:30: expected a whole number or a word as the value of an option, found a list"
        ),
        Breakage(
            "questionnaire.yaml", "answer: 4", "answer: 6",
            "questionnaire.yaml:30: This is not a valid answer to stress. This is not an option of the item. "
                + "The options are 1, 2, 3, 4, 5."),
        Breakage(
            "questionnaire.yaml", "question: stress,", "question: sleep_minutes,", "questionnaire.yaml:30: *"),
        Breakage(
            "questionnaire.yaml", "linkId: energy", "linkId: mood", "questionnaire.yaml:13: *",
            "scoring.yaml:5: *", "text.de.yaml:5: *", "text.en.yaml:5: *"),
    ]

    private static let words = [
        Breakage(
            "text.de.yaml", "  note: Gibt es etwas vom heutigen Tag, das Sie festhalten möchten?\n", "",
            "text.de.yaml:3: The text is missing. (note)"),
        Breakage(
            "text.de.yaml", "  mood: Wie war Ihre Stimmung heute?", "  mood: 5",
            "text.de.yaml:4: expected a text, found a whole number; put it in quotes"),
        Breakage("text.de.yaml", ", 5: sehr viel}", "}", "text.de.yaml:13: The text is missing. (5)"),
        Breakage(
            "text.de.yaml", ", 5: sehr viel}", ", 5: \"\"}",
            "text.de.yaml:13: expected a text, found an empty text"),
        Breakage(
            "text.en.yaml", "5: very much}", "5: very much, 6: even more}",
            "text.en.yaml:13: \"6\" is not an option of the set \"low_to_high\""),
        Breakage(
            "text.en.yaml", "    money: money\n", "    mony: money\n", "text.en.yaml:17: *",
            "text.en.yaml:21: Nothing here needs a text for \"mony\"."),
        Breakage(
            "text.en.yaml", "title: Your evening review", "title:",
            "text.en.yaml:1: expected a text, found nothing"),
    ]

    private static let scoring = [
        Breakage(
            "scoring.yaml", "method: mean", "method: average",
            "scoring.yaml:7: expected one of sum, mean, min, max, count, value, product, quotient, difference, elapsed, "
                + "clock, found \"average\""),
        Breakage(
            "scoring.yaml", "[mood, energy, stress]", "[mood, energy, stres]", "scoring.yaml:5: *",
            "scoring.yaml:6: *"),
        Breakage("scoring.yaml", "reverse: [stress]", "reverse: [note]", "scoring.yaml:6: *"),
        Breakage(
            "scoring.yaml", "[mood, energy, stress]", "[q9..q1]",
            "scoring.yaml:5: expected a range of items such as q1..q20, found \"q9..q1\""),
        Breakage(
            "scoring.yaml", "missing: {min_answered: 2}", "missing: some",
            "scoring.yaml:8: expected complete, exclude or a mapping with min_answered or min_share, found a text"
        ),
        Breakage(
            "scoring.yaml", "{min_answered: 2}", "{min_answered: 3}",
            "vectors.csv:11: case \"energy blank\": reason.balance is too_few_answered, expected empty",
            "vectors.csv:11: case \"energy blank\": score.balance is empty, expected 4"),
        Breakage(
            "vectors.csv", "480,,3.33", "480,,3.34",
            "vectors.csv:10: case \"two thirds\": score.balance is 3.33, expected 3.34 ± 1e-9"),
        Breakage(
            "vectors.csv", "case,mood,energy", "case,mode,energy",
            "vectors.csv:1: \"mode\" is neither an item nor a column of a scale",
            "vectors.csv:1: the column \"mood\" is missing"),
        Breakage("vectors.csv", "a good day,5,5,1", "a good day,5,9,1", "vectors.csv:3: *"),
        Breakage(
            "vectors.csv", "a good day,5,5,1,,", "a good day,5,5,1,work,",
            "vectors.csv:3: case \"a good day\": stress_source is answered, but it is not shown"),
        Breakage(
            "vectors.csv", "a good day,5", "a \"good day,5",
            "vectors.csv:3: a quotation mark inside a field that is not quoted"),
        Breakage("vectors.csv", "a good day,5", "a good day", "vectors.csv:3: expected 21 fields, found 20"),
    ]
}
