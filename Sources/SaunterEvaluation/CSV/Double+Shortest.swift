import SaunterCore

extension Double {
    /// The shortest digits that parse to the same number. Whole numbers have no decimal point.
    var shortest: String { JSON.double(self).text }
}
