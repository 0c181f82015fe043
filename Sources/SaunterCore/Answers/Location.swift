/// The answer to an item of type `location`: WGS 84 coordinates in degrees, rounded to the `decimals` of the item.
package struct Location: Sendable, Hashable {
    /// Degrees from -90 to 90, positive in the north.
    package let latitude: Double
    /// Degrees from -180 to 180, positive in the east.
    package let longitude: Double
    /// The radius in metres within which the device was, if the client recorded it.
    package let accuracyM: Double?

    /// Creates a location in degrees, without checking its range.
    package init(latitude: Double, longitude: Double, accuracyM: Double? = nil) {
        self.latitude = latitude
        self.longitude = longitude
        self.accuracyM = accuracyM
    }

    fileprivate static let latitudes = -90.0...90.0
    fileprivate static let longitudes = -180.0...180.0
    fileprivate static let accuracies = 0.0...100_000.0

    /// The coordinates with at most this many decimal places. A half is rounded to the even digit. The accuracy is
    /// unchanged.
    func rounded(to decimals: Int) -> Location {
        func rounded(_ degrees: Double) -> Double {
            Quantity(degrees).rounded(Rounding(places: decimals, mode: .halfEven)).double
        }
        return Location(
            latitude: rounded(latitude), longitude: rounded(longitude), accuracyM: accuracyM)
    }

    /// `{"lat": 52.52, "lon": 13.41, "accuracy_m": 30}`.
    package var json: JSON {
        var object: JSONObject = ["lat": .double(latitude), "lon": .double(longitude)]
        object.add("accuracy_m", accuracyM.map(JSON.double))
        return .object(object)
    }
}

/// A location is stored as three numbers: latitude, longitude and accuracy.
extension Location {
    /// The number of elements of `StoredAnswers.numbers`.
    static let numberCount = 3
    /// The option codes of its rows. The row of the latitude has none. The row of the accuracy is blank if the client
    /// did not record it.
    static let rowOptions = ["", "lon", "accuracy_m"]

    var numbers: [Double?] { [latitude, longitude, accuracyM] }

    /// Returns nil if the numbers are not a location.
    init?(numbers: some Collection<Double?>) {
        let all = Array(numbers)
        guard all.count == Self.numberCount, let latitude = all[0], let longitude = all[1],
            Self.latitudes.contains(latitude), Self.longitudes.contains(longitude),
            all[2].map(Self.accuracies.contains) ?? true
        else { return nil }
        self.init(latitude: latitude, longitude: longitude, accuracyM: all[2])
    }
}

extension Item {
    /// The number of decimal places of a location without `decimals`: about one kilometre.
    static let defaultDecimals = 2
    /// The greatest `decimals` of a location: about one metre.
    static let maximumDecimals = 5

    /// The number of decimal places to which the server rounds a location.
    package var storedDecimals: Int { decimals ?? Self.defaultDecimals }
}

extension AnswerReader {
    /// Parses `{"lat": 52.520008, "lon": 13.404954, "accuracy_m": 30}` and rounds it.
    mutating func location(_ value: JSON, _ pointer: String) -> Answer? {
        let names: Set = ["lat", "lon", "accuracy_m"]
        guard let members = value.object, let latitude = members["lat"], let longitude = members["lon"],
            members.allSatisfy({ names.contains($0.name) })
        else {
            faults.add(
                pointer, "wrong_type",
                "This item expects an object with lat and lon in degrees, and optionally accuracy_m.")
            return nil
        }
        let before = faults.count
        let degreesNorth = number(latitude, within: Location.latitudes, "\(pointer)/lat")
        let degreesEast = number(longitude, within: Location.longitudes, "\(pointer)/lon")
        var accuracy: Double?
        if let given = members["accuracy_m"], !given.isNull {
            accuracy = number(given, within: Location.accuracies, "\(pointer)/accuracy_m")
        }
        guard faults.count == before, let degreesNorth, let degreesEast else { return nil }
        let location = Location(latitude: degreesNorth, longitude: degreesEast, accuracyM: accuracy)
        return .location(location.rounded(to: item.storedDecimals))
    }

    /// Parses a number with any number of digits, because devices report coordinates with all digits of a `Double`.
    private mutating func number(_ value: JSON, within range: ClosedRange<Double>, _ pointer: String)
        -> Double?
    {
        guard case .number(let number) = value else {
            faults.add(pointer, "wrong_type", "This member must be a number.")
            return nil
        }
        // A number that is too large for a double is also outside the range.
        let isNegative = number.literal.hasPrefix("-")
        let double = number.double ?? (isNegative ? -.infinity : .infinity)
        if double < range.lowerBound {
            faults.add(pointer, "below_minimum", "The minimum is \(JSON.double(range.lowerBound).text).")
        }
        if double > range.upperBound {
            faults.add(pointer, "above_maximum", "The maximum is \(JSON.double(range.upperBound).text).")
        }
        // Negative zero becomes zero.
        return range.contains(double) ? (double == 0 ? 0 : double) : nil
    }
}

extension QuestionnaireIndex {
    /// The body of an answer sheet or a correction in which each location is rounded like the stored one. Copies of
    /// bodies, such as quarantined ones, are stored in this form. A value that is not a location becomes null.
    package func roundingLocations(in body: JSON) -> JSON {
        guard !locations.isEmpty, var object = body.object, let answers = body["answers"]?.object else {
            return body
        }
        object["answers"] = .object(rounding(answers))
        return .object(object)
    }

    private func rounding(_ answers: JSONObject) -> JSONObject {
        JSONObject(
            answers.members.map { member in
                var member = member
                if let item = locations[member.name] {
                    member.value = item.rounding(member.value)
                } else if let elements = member.value.array {
                    // The instances of a repeating group.
                    member.value = .array(
                        elements.map { $0.object.map { .object(rounding($0)) } ?? $0 })
                }
                return member
            })
    }
}

extension Item {
    fileprivate func rounding(_ value: JSON) -> JSON {
        if isList, let elements = value.array { return .array(elements.map(rounded)) }
        return rounded(value)
    }

    private func rounded(_ value: JSON) -> JSON {
        do throws(Faults) {
            return try answer(from: value, single: true)?.json ?? .null
        } catch {
            // An invalid value may contain coordinates in another form.
            return .null
        }
    }
}
