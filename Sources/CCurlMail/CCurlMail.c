#include "CCurlMail.h"
