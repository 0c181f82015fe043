import Postgres
import Testing

@Suite("Statement file") struct StatementFileTests {
    @Test func `parsing a file returns its statements by name, with the declarations of their headers`()
        throws
    {
        let statements = try Statement.parse(
            file: """
                -- Occasions and their windows.

                -- name: find_open_occasions(enrolment_id uuid, amount numeric(10, 2), spans  double precision[]) :many
                -- Due occasions only; withdrawn enrolments have none.
                select occasion_id
                from occasion -- a comment with :x and a ;
                where enrolment_id = :enrolment_id and note <> 'it''s :x; ' and :amount::numeric > 0 and :spans is not null;

                -- name: touch() :exec
                update occasion set note = $tag$ :x ; $tag$
                """)

        #expect(statements.count == 2)
        let find = try #require(statements["find_open_occasions"])
        #expect(find.cardinality == .many)
        #expect(
            find.parameters == [
                .init(name: "enrolment_id", type: "uuid"), .init(name: "amount", type: "numeric(10, 2)"),
                .init(name: "spans", type: "double precision[]"),
            ])
        #expect(find.sql.hasPrefix("select occasion_id\nfrom occasion"))
        #expect(find.sql.hasSuffix("and $2::numeric > 0 and $3 is not null"))
        let touch = try #require(statements["touch"])
        #expect(touch.cardinality == .exec)
        #expect(touch.parameters.isEmpty)
    }

    @Test func `CRLF line endings are accepted`() throws {
        let statements = try Statement.parse(file: "-- name: a(x int4) :one\r\nselect\r\n:x\r\n")

        #expect(statements["a"]?.sql == "select\n$1\n")
    }

    @Test(arguments: [
        ("select 1", 1, StatementFileFault.Reason.textBeforeFirstHeader),
        ("\n-- name: a :one\nselect 1", 2, .headerUnreadable),
        ("-- name: A() :one\nselect 1", 1, .headerUnreadable),
        ("-- name: a() one\nselect 1", 1, .headerUnreadable),
        ("-- name: a() :all\nselect 1", 1, .headerUnreadable),
        ("-- name: a(x) :one\nselect :x", 1, .headerUnreadable),
        ("-- name: a(x int4,) :one\nselect :x", 1, .headerUnreadable),
        ("-- name: a)( :one\nselect :x", 1, .headerUnreadable),
        ("-- name: a(x int4, x int4) :one\nselect :x", 1, .parameterRepeated("x")),
        ("-- name: a() :one\nselect 1\n-- name: a() :one\nselect 2", 3, .nameRepeated("a")),
        ("-- name: a() :one\n-- nothing\n/* at /* all */ */ ;", 1, .statementMissing("a")),
        ("-- name: a() :one\nselect 1; select 2", 1, .severalStatements("a")),
        ("-- name: a(x int4) :one\nselect 1", 1, .parameterUnused("a", parameter: "x")),
        ("-- name: a() :one\nselect :x, :y", 1, .parameterUndeclared("a", parameter: "x")),
        ("-- name: a(x int4) :one\nselect $1", 1, .parameterPositional("a", parameter: "$1")),
        ("-- name: a() :one\nselect 'x", 1, .unterminated("a")),
        ("-- name: a() :one\nselect /* x", 1, .unterminated("a")),
        ("-- name: a() :one\nselect $x$ y", 1, .unterminated("a")),
    ])
    func `an error in a file is reported with its line`(
        file: String, line: Int, reason: StatementFileFault.Reason
    ) {
        #expect(throws: StatementFileFault(line: line, reason: reason)) { try Statement.parse(file: file) }
    }

    @Test(arguments: [
        (#"-- name: a(x int4) :one"# + "\n" + #"select E'it\'s ; :y', :x"#, "a"),
        ("-- name: a(x int4) :one\nselect \"odd;:y\"\"name\", :x", "a"),
        ("-- name: a(x int4) :one\nselect a$2b, :x::text", "a"),
        ("-- name: a(x int4) :one\nselect 1 /* ; :y */, :x ; -- end ; of it", "a"),
        ("-- name: a(x int4) :one\nselect $$ ; :y $$, :x", "a"),
    ])
    func `parameters in quotations and comments are ignored`(file: String, name: String) throws {
        #expect(try Statement.parse(file: file)[name]?.parameters.count == 1)
    }

    @Test func `values are assigned to parameters by name, in any order`() throws {
        let file = "-- name: pair(first int4, second text) :one\nselect :second, :first, :second"
        let statement = try #require(try Statement.parse(file: file)["pair"])

        let values = try statement.parameters(from: ["second": .text("b"), "first": .int4(1)])

        #expect(statement.sql == "select $2, $1, $2")
        #expect(values.map(\.type) == [Parameter.int4(1).type, Parameter.text("b").type])
    }

    @Test func `the error names every unknown, missing and duplicate value`() throws {
        let file = "-- name: pair(first int4, second text) :one\nselect :first, :second"
        let statement = try #require(try Statement.parse(file: file)["pair"])

        let error = #expect(throws: DatabaseError.self) {
            try statement.parameters(from: ["first": .int4(1), "first": .int4(2), "third": .int4(3)])
        }

        #expect(
            error?.kind == .misuse("first is given twice, third is not a parameter, second has no value"))
        #expect(throws: DatabaseError.self) { try statement.parameters(from: [.int4(1), .text("b")]) }
    }
}
