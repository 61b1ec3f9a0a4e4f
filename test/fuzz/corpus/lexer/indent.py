if x:
	y
        z
   w
for a in (1,
  2): b\
  c
