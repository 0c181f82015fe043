import SaunterCore
import Testing

@testable import SaunterWeb

/// The cards of the page Insights.
@Suite struct InsightCardTests {
    private static func card(_ item: JSON, _ language: String = "en") throws -> [String: Any] {
        let words = try Words(WebFiles(folder: nil)).language(accepting: language)
        let time = LocalTimeText(language: words.code, zone: "Europe/Berlin")
        return InsightCard(item, words: words, time: time).values
    }

    @Test(arguments: [
        (1.0, "d", 4, "en", "day in a row"), (5.0, "d", 9, "en", "days in a row"),
        (5.0, "d", 9, "de", "Tage in Folge"), (1.0, "d", nil, "en", "day"),
        (12.0, "min", nil, "de", "Minuten"),
        (4.8, "km/h", nil, "en", "km/h"),
    ])
    func `a number has its unit`(value: Double, unit: String, best: Int?, language: String, text: String)
        throws
    {
        let card = try Self.card(
            [
                "title": "Practice", "value": .double(value), "unit": .string(unit), "n": 12,
                "best": .optional(best, JSON.int),
            ], language)

        #expect(card["unit"] as? String == text)
    }

    @Test func `a number without a unit has none, and neither has a word`() throws {
        #expect(try Self.card(["title": "Mood", "value": 3.5, "n": 12])["unit"] == nil)
        #expect(try Self.card(["title": "Goal", "value": "calm", "label": "Calm", "n": 1])["unit"] == nil)
    }

    @Test func `a figure and its table state the unit, and keys have their labels`() throws {
        let entries: JSON = [
            ["key": "8", "label": "08:00", "value": 12, "n": 3],
            ["key": "17", "label": "17:00", "value": 6, "n": 2],
        ]

        let minutes = try Self.card(["title": "Sleep", "unit": "min", "n": 5, "entries": entries])
        let plain = try Self.card(["title": "Mood", "unit": nil, "n": 5, "entries": entries])

        #expect(minutes["caption"] as? String == "Values: minutes")
        let table = try #require(minutes["table"] as? [String: Any])
        #expect(table["value"] as? String == "Value (minutes)")
        #expect((table["rows"] as? [[String: Any]])?.map { $0["key"] as? String } == ["08:00", "17:00"])
        #expect((minutes["svg"] as? String)?.contains(">08:00<") == true)
        #expect(plain["caption"] == nil)
        #expect((plain["table"] as? [String: Any])?["value"] as? String == "Value")
    }
}
