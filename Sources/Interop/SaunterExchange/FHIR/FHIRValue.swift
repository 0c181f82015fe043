import SaunterCore

/// A value with the name of its member, such as `answerInteger`.
struct FHIRValue {
    let name: String
    let json: JSON

    var member: JSONObject.Member { .init(name: name, value: json) }

    init(name: String, json: JSON) {
        self.name = name
        self.json = json
    }

    /// Nil if FHIR has no type for the answer, or if the answer has several values.
    init?(_ prefix: String, _ answer: Answer) {
        let json = answer.json
        let kind: String
        switch answer {
        case .boolean: kind = "Boolean"
        case .integer(let number): kind = Int32(exactly: number) == nil ? "Decimal" : "Integer"
        case .decimal: kind = "Decimal"
        case .date: kind = "Date"
        case .dateTime: kind = "DateTime"
        case .time(let time):
            // FHIR times have seconds.
            self.init(name: "\(prefix)Time", json: .string(Answer.time(time).datasetText))
            return
        case .text: kind = "String"
        case .freeText(let freeText):
            self.init(name: "\(prefix)String", json: .string(freeText))
            return
        case .option(let value):
            if case .code(let code) = value {
                self.init(name: "\(prefix)Coding", json: ["code": .string(code)])
                return
            }
            kind = "Integer"
        case .quantity(let measure):
            self.init(
                name: "\(prefix)Quantity",
                json: [
                    "value": .double(measure.value), "unit": .string(measure.unit),
                    "system": "http://unitsofmeasure.org", "code": .string(measure.unit),
                ])
            return
        case .options, .optionsAndFreeText, .ranking, .location, .comparedWords, .list, .instances:
            return nil
        }
        self.init(name: "\(prefix)\(kind)", json: json)
    }
}
