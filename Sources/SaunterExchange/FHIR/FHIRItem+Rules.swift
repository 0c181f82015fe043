import SaunterCore

extension FHIRItem {
    /// Where FHIR's own extensions are defined.
    static let extensions = "http://hl7.org/fhir/StructureDefinition"
    static let units = "http://unitsofmeasure.org"
    static let dataCapture = "http://hl7.org/fhir/uv/sdc/StructureDefinition"
    /// Codes of `questionnaire-item-control`; others are our own.
    private static let knownControls: Set<ItemControl> = [
        .radio, .dropDown, .slider, .table, .checkBox, .textBox, .spinner, .autocomplete,
    ]

    /// The rules of an item as extensions. What FHIR has no word for stands under addresses of our own.
    func rules(_ item: Item) -> [JSON] {
        var list: [JSON] = []
        func add(_ name: String, _ member: String, _ value: JSON, base: String = Self.extensions) {
            list.append(["url": .string("\(base)/\(name)"), member: value])
        }
        func addOwn(_ name: String, _ member: String, _ value: JSON) {
            list.append(["url": .string("urn:saunter:\(name)"), member: value])
        }
        if item.hidden { add("questionnaire-hidden", "valueBoolean", true) }
        if let control = item.itemControl {
            let system =
                Self.knownControls.contains(control)
                ? "http://hl7.org/fhir/questionnaire-item-control" : "urn:saunter:item-control"
            let coding: JSON = ["system": .string(system), "code": .string(control.rawValue)]
            add("questionnaire-itemControl", "valueCodeableConcept", ["coding": [coding]])
        }
        for (name, bound) in [("minValue", item.minValue), ("maxValue", item.maxValue)] {
            guard let bound, let value = Self.bound(bound, item) else { continue }
            if item.type == .quantity {
                let quantity = name == "minValue" ? "minQuantity" : "maxQuantity"
                add(
                    "sdc-questionnaire-\(quantity)", value.member.name, value.member.value,
                    base: Self.dataCapture)
            } else {
                add(name, value.member.name, value.member.value)
            }
        }
        if let least = item.minLength { add("minLength", "valueInteger", .int(least)) }
        if let regex = item.regex { add("regex", "valueString", .string(regex)) }
        if let places = item.maxDecimalPlaces { add("maxDecimalPlaces", "valueInteger", .int(places)) }
        if let least = item.minOccurs { add("questionnaire-minOccurs", "valueInteger", .int(least)) }
        if let most = item.maxOccurs { add("questionnaire-maxOccurs", "valueInteger", .int(most)) }
        if let step = item.step {
            if Int32(exactly: step) != nil {
                add("questionnaire-sliderStepValue", "valueInteger", .double(step))
            } else {
                addOwn("step", "valueDecimal", .double(step))
            }
        }
        for unit in item.unitOption { add("questionnaire-unitOption", "valueCoding", Self.unit(unit)) }
        if let unit = item.unit { add("questionnaire-unit", "valueCoding", Self.unit(unit)) }
        if let media = item.media {
            var attachment: JSONObject = ["url": .string(media.source)]
            if let title = words.media[item.linkId] { attachment["title"] = .string(title) }
            add(
                "sdc-questionnaire-itemMedia", "valueAttachment", .object(attachment), base: Self.dataCapture)
            addOwn("media-kind", "valueCode", .string(media.kind.rawValue))
        }
        if item.shuffle { addOwn("shuffle", "valueBoolean", true) }
        if item.type == .ranking { addOwn("ranking", "valueBoolean", true) }
        if let expression = item.enableWhenExpression {
            addOwn("enable-when-expression", "valueString", .string(expression))
        }
        return list
    }

    private static func unit(_ code: String) -> JSON { ["system": .string(units), "code": .string(code)] }

    /// A bound under the name that its type has. FHIR's integers have 32 bits.
    private static func bound(_ bound: Double, _ item: Item) -> FHIRValue? {
        switch item.type {
        case .integer where Int32(exactly: bound) != nil:
            FHIRValue(name: "valueInteger", json: .double(bound))
        case .date, .dateTime, .time:
            Answer(storedNumber: bound, type: item.type).flatMap { FHIRValue("value", $0, item) }
        case .quantity:
            FHIRValue("value", .quantity(Measure(value: bound, unit: item.unitOption.first ?? "")), item)
        default: FHIRValue(name: "valueDecimal", json: .double(bound))
        }
    }
}

/// A value under the name that its type has, such as `answerInteger`.
struct FHIRValue {
    let name: String
    let json: JSON

    var member: JSONObject.Member { .init(name: name, value: json) }

    init(name: String, json: JSON) {
        self.name = name
        self.json = json
    }

    /// Nil for what FHIR has no type for.
    init?(_ prefix: String, _ answer: Answer, _ item: Item) {
        let json = answer.json
        let kind: String
        switch answer {
        case .boolean: kind = "Boolean"
        case .integer(let number): kind = Int32(exactly: number) == nil ? "Decimal" : "Integer"
        case .decimal: kind = "Decimal"
        case .date: kind = "Date"
        case .dateTime: kind = "DateTime"
        case .time(let time):
            // FHIR's times have seconds.
            self.init(name: "\(prefix)Time", json: .string(Answer.time(time).rowText))
            return
        case .text: kind = "String"
        case .words(let words):
            self.init(name: "\(prefix)String", json: .string(words))
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
        case .options, .optionsAndWords, .ranking, .list, .instances: return nil
        }
        self.init(name: "\(prefix)\(kind)", json: json)
    }
}
