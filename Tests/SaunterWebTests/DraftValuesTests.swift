import SaunterCore
import Testing

@testable import SaunterWeb

/// The forms that change values in the files of a draft.
@Suite struct DraftValuesTests {
    private static let file = "instruments/day/1.0.0/text.en.yaml"
    private static let mood = DraftValue(file: file, pointer: "/items/mood", text: "How was it?")
    private static let note = DraftValue(file: file, pointer: "/items/note", text: "More?\nYes.")

    private func form(_ typed: [DraftValue: String], before: [DraftValue: String] = [:]) -> DraftValuesForm {
        var body = JSONObject()
        for (value, text) in typed {
            body["before:\(value.key)"] = .string(before[value] ?? value.text)
            body["value:\(value.key)"] = .string(text)
        }
        body["part"] = "day"
        return DraftValuesForm(.object(body))
    }

    @Test func `only values that were changed are saved`() {
        let form = form([Self.mood: "How are you?", Self.note: Self.note.text])
        let outcome = form.outcome(now: [Self.mood, Self.note])

        #expect(outcome.changes.map(\.value) == [Self.mood])
        #expect(outcome.changes.map(\.typed) == ["How are you?"])
        #expect(outcome.conflicts.isEmpty)
    }

    @Test func `the line ends of a browser are no change`() {
        let form = form([Self.note: "More?\r\nYes."], before: [Self.note: "More?\r\nYes."])
        #expect(form.outcome(now: [Self.note]).changes.isEmpty)
    }

    @Test func `a change by another editor to another value is kept`() {
        let form = form([Self.mood: "How are you?", Self.note: Self.note.text])
        var newer = Self.note
        newer.text = "Anything else?"
        let outcome = form.outcome(now: [Self.mood, newer])

        #expect(outcome.changes.map(\.value) == [Self.mood])
        #expect(outcome.conflicts.isEmpty)
        #expect(form.shown(now: [Self.mood, newer])[newer.key] == "Anything else?")
    }

    @Test func `a change by another editor to the same value is a conflict, and what was typed stays`() throws
    {
        let form = form([Self.mood: "How are you?"])
        var newer = Self.mood
        newer.text = "How do you feel?"
        let outcome = form.outcome(now: [newer])

        #expect(outcome.changes.isEmpty)
        let conflict = try #require(outcome.conflicts.first)
        #expect(conflict.field.typed == "How are you?" && conflict.now == "How do you feel?")
        #expect(form.shown(now: [newer]) == [newer.key: "How are you?"])
        // The same change by both is none.
        newer.text = "How are you?"
        #expect(form.outcome(now: [newer]).conflicts.isEmpty)
        #expect(form.outcome(now: [newer]).changes.isEmpty)
    }

    @Test func `a value that was removed in the meantime is a conflict`() throws {
        let outcome = form([Self.mood: "How are you?"]).outcome(now: [])
        let conflict = try #require(outcome.conflicts.first)
        #expect(conflict.now == nil && conflict.field.typed == "How are you?")
        #expect(form([Self.mood: Self.mood.text]).outcome(now: []).conflicts.isEmpty)
    }

    @Test(
        arguments: [
            (DraftValue.Kind.text, " a ", JSON.string(" a ")), (.time, " 17:30 ", "17:30"),
            (.number, " 14 ", 14),
            (.number, "two", "two"), (.duration, "5 h", "5h"), (.boolean, "true", true),
            (.boolean, "false", false), (.boolean, "x", "x"),
        ] as [(DraftValue.Kind, String, JSON)])
    func `a text becomes a value of its kind`(kind: DraftValue.Kind, typed: String, json: JSON) {
        let value = DraftValue(file: "a", pointer: "/b", text: "", kind: kind)
        #expect(value.json(typed) == json)
    }

    @Test func `a field is as long as its text, and repeats what it was before`() throws {
        let values = [Self.mood, Self.note, DraftValue(file: "a", pointer: "/t", text: "24:00", kind: .time)]
        let words = try #require(try Words(WebFiles(folder: nil)).languages.first)
        let view = DraftFormView(nil, values, [:], FormFaults(words))

        let (short, long, midnight) = (view.model(values[0]), view.model(values[1]), view.model(values[2]))
        #expect(short["area"] == nil && short["before"] as? String == "How was it?")
        #expect((long["area"] as? [String: String])?["rows"] == "2")
        #expect(
            (midnight["input"] as? [String: String])?["type"] == "text", "a field for a time has no 24:00")
        #expect(short["id"] as? String == "v0" && DraftFormView.id(of: values[1].key, in: values) == "v1")
    }

    // MARK: A list

    private static let channels = DraftValue(
        file: "study.yaml", pointer: "/reminder/channels", text: "push, mail", kind: .channels)

    private func form(_ parts: [String], before: String = "push, mail") -> DraftValuesForm {
        var body: JSONObject = ["before:\(Self.channels.key)": .string(before)]
        for (index, part) in parts.enumerated() {
            body[DraftValuesForm.name(ofPart: index, of: Self.channels.key)] = .string(part)
        }
        return DraftValuesForm(.object(body))
    }

    @Test func `the parts of a list are one value, without empty ones`() {
        #expect(form(["push", "mail", "", ""]).outcome(now: [Self.channels]).changes.isEmpty)

        let changes = form(["", "mail", "", "in_app"]).outcome(now: [Self.channels]).changes

        #expect(changes.map(\.typed) == ["mail, in_app"])
        #expect(changes.map { $0.value.json($0.typed) } == [["mail", "in_app"]])
        #expect(form(["", ""]).outcome(now: [Self.channels]).changes.map { $0.value.json($0.typed) } == [[]])
        // The page that keeps a form sends the list as one text.
        let whole = DraftValuesForm([
            "before:\(Self.channels.key)": "push, mail", "value:\(Self.channels.key)": "webhook",
            "part:0:\(Self.channels.key)": "push",
        ])
        #expect(whole.fields.map(\.typed) == ["webhook"])
    }

    @Test func `a list that another editor changed is a conflict, and the choices show what was typed`()
        throws
    {
        let form = form(["push", "mail", "pigeon"])
        var newer = Self.channels
        newer.text = "in_app"
        #expect(form.outcome(now: [newer]).conflicts.map(\.now) == ["in_app"])

        let words = try #require(try Words(WebFiles(folder: nil)).languages.first)
        var faults = FormFaults(words)
        faults.add("Wrong", field: DraftFormView.slotID(1, of: "v0"))
        let view = DraftFormView(form, [newer], [newer.key: "in_app"], faults)
        let model = view.channels(newer, title: "Channels", words)

        let slots = try #require(model["slots"] as? [[String: Any]])
        let chosen = slots.map { slot in
            (slot["options"] as? [[String: Any]])?.first { $0["is_chosen"] as? Bool == true }?["value"]
                as? String
        }
        #expect(chosen == ["push", "mail", "pigeon", ""])
        #expect(slots.map { $0["wrong"] != nil } == [false, true, false, false])
        #expect(slots.map { $0["id"] as? String } == ["v0", "v0-2", "v0-3", "v0-4"])
        #expect((model["now"] as? [String: String])?["text"] == words.text("draft", "channel_in_app"))
        #expect(model["before"] as? String == "in_app" && model["wrong"] == nil)
    }
}
