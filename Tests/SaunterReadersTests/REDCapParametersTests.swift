import SaunterCore
import Testing

@testable import SaunterReaders
@testable import SaunterServer

@Suite struct REDCapParametersTests {
    private static func read(_ form: String) throws -> REDCapParameters {
        try REDCapParameters(FormBody(Array(form.utf8)).json)
    }

    @Test(arguments: [
        ("records=a,b", ["a", "b"]), ("records[0]=a&records[1]=b", ["a", "b"]),
        ("records[1]=b&records[0]=a", ["a", "b"]), ("records[]=a", ["a"]), ("records=a b", ["a", "b"]),
    ])
    func `a list may be given in every form that clients use`(form: String, expected: [String]) throws {
        #expect(try Self.read(form).list("records") == expected)
    }

    @Test(arguments: ["records=", "content=record", "records[0]="])
    func `an empty list counts as absent`(form: String) throws {
        #expect(try Self.read(form).list("records") == nil)
    }

    @Test(arguments: [
        "record=a", "data=[]", "overwriteBehavior=normal", "records[x]=a", "records[0=a", "records[-1]=a",
        "action=import", "action=delete",
    ])
    func `unknown parameters and writing actions are rejected`(form: String) {
        #expect(throws: Problem.self) { try Self.read(form) }
    }

    @Test(arguments: [
        ("true", true), ("True", true), ("1", true), ("FALSE", false), ("0", false), ("", false),
    ])
    func `flags are accepted in every spelling`(text: String, expected: Bool) throws {
        #expect(try Self.read("exportCheckboxLabel=\(text)").flag("exportCheckboxLabel") == expected)
    }

    @Test(arguments: [
        ("2026-03-28 16:30:00", "2026-03-28T16:30:00.000Z"), ("2026-03-28 16:30", "2026-03-28T16:30:00.000Z"),
    ])
    func `instants are in UTC`(text: String, expected: String) throws {
        #expect(try Self.read("dateRangeBegin=\(text)").instant("dateRangeBegin")?.description == expected)
    }

    @Test(arguments: ["2026-13-01 00:00:00", "yesterday", "2026-03-28"])
    func `a text that is not an instant is rejected`(text: String) throws {
        let parameters = try Self.read("dateRangeBegin=\(text)")
        #expect(throws: Problem.self) { try parameters.instant("dateRangeBegin") }
    }
}
