import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterExchange

@Suite struct REDCapActionTagTests {
    @Test(
        arguments: [
            ("", []), ("for the office, office@example.org", []), ("@HIDDEN", [("@HIDDEN", "")]),
            ("shown @READONLY @DEFAULT=3", [("@READONLY", ""), ("@DEFAULT", "3")]),
            ("@DEFAULT='New York' @HIDDEN", [("@DEFAULT", "New York"), ("@HIDDEN", "")]),
            ("@DEFAULT=\"it's @HIDDEN\"@READONLY", [("@DEFAULT", "it's @HIDDEN"), ("@READONLY", "")]),
            ("@DEFAULT='open end @HIDDEN", [("@DEFAULT", ""), ("@HIDDEN", "")]),
            (
                "@IF([a]='1', @HIDDEN , '') @READONLY",
                [("@IF([a]='1', @HIDDEN , '')", ""), ("@READONLY", "")]
            ),
            ("@HIDDEN, @DEFAULT=", [("@HIDDEN,", ""), ("@DEFAULT", "")]),
        ] as [(String, [(String, String)])])
    func `action tags are parsed`(_ annotation: String, _ expected: [(String, String)]) {
        let wanted = expected.map { REDCapActionTag(name: $0.0, value: $0.1) }
        #expect(REDCapActionTag.all(in: annotation) == wanted)
    }

    private static let dictionary = #"""
        field_name,form_name,field_type,field_label,select_choices_or_calculations,field_annotation
        city,walks,text,City?,,@DEFAULT='New York'
        saying,walks,notes,Saying?,,"@DEFAULT=""it's fine"" @READONLY"
        other,walks,text,Other?,,"@DEFAULT=""[city]"""
        shoes,walks,checkbox,Shoes?,"1, Boots | 98, None | 99, Unknown","@NONEOFTHEABOVE='98, 99,97'"
        worn,walks,checkbox,Worn?,"1, Boots | 2, Socks | 3, Hat","@DEFAULT='3,1'"
        torn,walks,checkbox,Torn?,"1, Boots | 2, Socks","@DEFAULT='1,4'"
        """#

    private func imported(_ bytes: [UInt8]) throws -> ImportedInstrument {
        try #require(REDCapImport.read(bytes).first).get()
    }

    @Test func `default values and exclusive options are imported`() throws {
        let instrument = try imported(Array(Self.dictionary.utf8))
        let items = instrument.questionnaire.item
        #expect(
            items.map(\.initial) == [
                .text("New York"), .text("it's fine"), nil, nil, .options([.integer(1), .integer(3)]), nil,
            ])
        #expect(items[1].readOnly)
        #expect(items[3].answerOption.map(\.exclusive) == [false, true, true])
        #expect(
            instrument.remarks.map(\.text) == [
                "line 4, Field Annotation: @DEFAULT is kept without effect",
                "line 5, Field Annotation: @NONEOFTHEABOVE: there is no choice 97",
                "line 7, Field Annotation: @DEFAULT is kept without effect",
            ])
    }

    @Test func `an exported dictionary is imported unchanged`() throws {
        let instrument = try imported(Array(Self.dictionary.utf8))
        let questionnaire = instrument.questionnaire
        let kept = PreservedMembers(
            PackFiles(files: instrument.files), code: questionnaire.code, version: questionnaire.version)

        let again = try imported(REDCapExport.csv([(questionnaire, kept)])).questionnaire

        #expect(again.item == questionnaire.item)
    }
}
