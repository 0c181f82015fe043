import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct FormBodyTests {
    @Test func `fields are decoded in their order, without the token`() throws {
        let form = try FormBody(Array("content=record&token=T%2B1&fields%5B0%5D=a+b&empty=&bare".utf8))

        #expect(form.token == "T+1")
        #expect(form.json.text == #"{"content":"record","fields[0]":"a b","empty":"","bare":""}"#)
        #expect(form["content"] == "record" && form["token"] == nil)
    }

    @Test(arguments: ["a=1&a=2", "a=%zz", "a=%ff", "a=%00", "%00=a"])
    func `a repeated name or a value that is not text is rejected`(body: String) {
        #expect(throws: Problem.self) { try FormBody(Array(body.utf8)) }
    }

    @Test func `bytes that are not UTF-8, and too many fields, are rejected`() {
        let many = (0...10_000).map { "f\($0)=" }.joined(separator: "&")
        #expect(throws: Problem.self) { try FormBody([0x61, 0x3D, 0xFF]) }
        #expect(throws: Problem.self) { try FormBody(Array(many.utf8)) }
    }
}
