# Prints the tests, of the Go files given, that do more with -long: those that call testkit.Times, Long, OnlyLong, Map or Kernel, or a function
# that does.
/^func / { name = $2; sub(/[[(].*/, "", name) }
{ body[name] = body[name] $0 "\n" }
/testkit\.(Times|Long|OnlyLong|Map|Kernel)\(/ { long[name] }
END {
  do {
    more = 0
    for (f in body) if (!(f in long)) for (l in long) if (body[f] ~ ("(^|[^A-Za-z])" l "\\(")) { long[f]; more = 1; break }
  } while (more)
  for (f in long) if (f ~ /^Test/) print f
}
