import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct REDCapParametersTests {
    private static func read(_ form: String) throws -> REDCapParameters {
        try REDCapParameters(FormBody(Array(form.utf8)).json)
    }

    @Test(arguments: [
        ("records=a,b", ["a", "b"]), ("records[0]=a&records[1]=b", ["a", "b"]),
        ("records[1]=b&records[0]=a", ["a", "b"]), ("records[]=a", ["a"]), ("records=a b", ["a", "b"]),
    ])
    func `lists come as clients send them`(form: String, expected: [String]) throws {
        #expect(try Self.read(form).list("records") == expected)
    }

    @Test(arguments: ["records=", "content=record", "records[0]="])
    func `an empty list is none`(form: String) throws {
        #expect(try Self.read(form).list("records") == nil)
    }

    @Test(arguments: [
        "record=a", "data=[]", "overwriteBehavior=normal", "records[x]=a", "records[0=a", "records[-1]=a",
        "action=import", "action=delete",
    ])
    func `what is unknown or would write is refused`(form: String) {
        #expect(throws: Problem.self) { try Self.read(form) }
    }

    @Test(arguments: [
        ("true", true), ("True", true), ("1", true), ("FALSE", false), ("0", false), ("", false),
    ])
    func `flags come in every writing`(text: String, expected: Bool) throws {
        #expect(try Self.read("exportCheckboxLabel=\(text)").flag("exportCheckboxLabel") == expected)
    }

    @Test(arguments: [
        ("2026-03-28 16:30:00", "2026-03-28T16:30:00.000Z"), ("2026-03-28 16:30", "2026-03-28T16:30:00.000Z"),
    ])
    func `moments are in UTC`(text: String, expected: String) throws {
        #expect(try Self.read("dateRangeBegin=\(text)").instant("dateRangeBegin")?.description == expected)
    }

    @Test(arguments: ["2026-13-01 00:00:00", "yesterday", "2026-03-28"])
    func `what is no moment is refused`(text: String) throws {
        let parameters = try Self.read("dateRangeBegin=\(text)")
        #expect(throws: Problem.self) { try parameters.instant("dateRangeBegin") }
    }
}
