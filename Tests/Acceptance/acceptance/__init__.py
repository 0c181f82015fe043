"""Black-box tests of Saunter: they know the API's page, its OpenAPI document and the command line, and nothing else."""
