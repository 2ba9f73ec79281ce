"""How far the reproduced numbers agree with print, by yardsticks that a wrong number fails."""
