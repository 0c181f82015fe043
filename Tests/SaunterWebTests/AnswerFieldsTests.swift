import SaunterCore
import Testing

@testable import SaunterWeb

/// The fields of question documents.
struct AnswerFieldsTests {
    @Test(arguments: [
        ("3", "3"), ("1,5", "1.5"), (" 1.50 ", "1.5"), ("1 234,5", "1234.5"), ("1\u{202F}234", "1234"),
        ("1.234.567", "1234567"), ("1,234.5", "1234.5"), ("1'000", "1000"), ("٣", "3"), ("١٢٫٥", "12.5"),
        ("−2", "-2"), ("+4", "4"), (",5", "0.5"), ("007", "7"), ("5,", "5"),
    ])
    func `a number is read as people type it`(text: String, literal: String) {
        #expect(AnswerFields.number(text).text == literal)
    }

    @Test(arguments: ["many", "", "-", ",", "1-2", "1,5 kg", "½", "1e3"])
    func `a text that is no number stays a text`(text: String) {
        #expect(AnswerFields.number(text) == .string(text))
    }

    @Test func `a date with a time becomes an instant of the participant's zone`() throws {
        let zone = try #require(Zone("Europe/Berlin"))
        let item: JSON = ["linkId": "awake", "type": "dateTime"]

        let read = AnswerFields([item], ["a.awake.date": "2026-01-02", "a.awake.time": "07:00"], zone: zone)
        let half = AnswerFields([item], ["a.awake.date": "2026-01-02"], zone: zone)

        #expect(read.answers["awake"]?.instant == Instant("2026-01-02T06:00:00Z"))
        #expect(half.answers["awake"] == "2026-01-02T")
    }

    @Test func `an instance without answers is left out`() {
        let item: JSON = [
            "linkId": "meals", "type": "group", "repeats": true,
            "item": [["linkId": "dish", "type": "string"], ["linkId": "size", "type": "decimal"]],
        ]
        let fields: JSONObject = [
            "n.meals": "4", "a.meals.0.dish": "soup", "a.meals.1.dish": " ", "a.meals.3.size": "0,5",
        ]

        let read = AnswerFields([item], fields, zone: .utc)

        #expect(read.answers["meals"] == [["dish": "soup"], ["size": 0.5]])
    }

    @Test func `comparisons of words are passed on with the words`() {
        let item: JSON = [
            "linkId": "words", "type": "string", "repeats": true, "itemControl": "pairwise",
        ]

        let read = AnswerFields(
            [item], ["a.words": "a\r\nb", "a.words.comparisons": #"[["b","a"]]"#], zone: .utc)

        #expect(read.answers["words"] == ["values": ["a", "b"], "comparisons": [["b", "a"]]])
    }

    @Test func `several places are read in their order`() {
        let item: JSON = ["linkId": "stops", "type": "location", "repeats": true]
        let fields: JSONObject = [
            "a.stops[0].lat": "1.5", "a.stops[0].lon": "2", "a.stops[1].lat": "-3", "a.stops[1].lon": "4",
            "a.stops[1].accuracy_m": "9",
        ]

        let read = AnswerFields([item], fields, zone: .utc)

        #expect(
            read.answers["stops"] == [["lat": 1.5, "lon": 2], ["lat": -3, "lon": 4, "accuracy_m": 9]])
    }
}
