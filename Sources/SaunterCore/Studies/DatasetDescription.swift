/// What a study states about its datasets, for archives and catalogues.
package struct DatasetDescription: Sendable, Hashable {
    /// The licence under which a dataset may be used.
    package struct License: Sendable, Hashable {
        /// The identifier, such as `CC-BY-4.0`: letters, digits, hyphens, dots and underscores.
        package var name: String
        /// The URL of the licence text; nil if it is not stated.
        package var url: String?

        /// Creates a licence; by default without a URL.
        package init(name: String, url: String? = nil) {
            self.name = name
            self.url = url
        }

        /// Whether the Data Package standard permits the name.
        package static func isValid(name: String) -> Bool {
            !name.isEmpty
                && name.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                        UInt8(ascii: "_"):
                        true
                    default: false
                    }
                }
        }
    }

    /// A person or an organisation that contributed to the dataset.
    package struct Contributor: Sendable, Hashable {
        /// The full name, as cited.
        package var name: String
        /// The organisation to which a person belongs; nil if it is not stated.
        package var organization: String?
        /// A public e-mail address; nil if it is not stated.
        package var email: String?
        /// A page about the contributor, such as an ORCID URL; nil if it is not stated.
        package var url: String?
        /// Such as `contact` or `principal investigator`.
        package var roles: [String]

        /// Creates a contributor; by default only with a name.
        package init(
            name: String, organization: String? = nil, email: String? = nil, url: String? = nil,
            roles: [String] = []
        ) {
            self.name = name
            self.organization = organization
            self.email = email
            self.url = url
            self.roles = roles
        }
    }

    /// Nil if the study states none.
    package var license: License?
    /// In the order of the study.
    package var contributors: [Contributor]

    /// Creates a description; by default it states nothing.
    package init(license: License? = nil, contributors: [Contributor] = []) {
        self.license = license
        self.contributors = contributors
    }
}
